"""The course's kernel tells JupyterLab what its notebooks are saved with, no version.

JupyterLab writes what the kernel tells of its language into a notebook that is opened.
If that is not what stands there, the notebook counts as changed, and closing it asks.
"""

from ipykernel.ipkernel import IPythonKernel

IPythonKernel.language_info.pop("version", None)
