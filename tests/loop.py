"""A loop of asyncio for a test that needs one."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def in_a_loop(reading):
    """Run it in a thread: one in which a browser was driven has a loop for ever."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, reading).result()
