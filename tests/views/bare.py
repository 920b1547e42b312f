"""A bare page: a view's own module, a stub of its model, and no kernel."""

import base64

import numpy as np

PAGE = """<!doctype html><meta charset=utf-8>
<body data-jp-theme-light=true><script type=module>
const decode = (traits) => Object.fromEntries(Object.entries(traits).map(([k, v]) =>
  [k, v?.bytes === undefined ? v
    : new DataView(Uint8Array.from(atob(v.bytes), (c) => c.charCodeAt(0)).buffer)]));
window.draw = async ({ esm, css, traits }) => {
  const listeners = {}, state = decode(traits), sent = [];
  const tell = (name, ...said) => (listeners[name] ?? []).forEach((f) => f(...said));
  const model = {
    get: (name) => state[name],
    set(name, value) { state[name] = value; tell("change:" + name); tell("change"); },
    on: (names, f) => names.split(" ").forEach((n) => (listeners[n] ??= []).push(f)),
    off() {}, save_changes() {}, send: (x) => { sent.push(x); },
  };
  document.body.replaceChildren();
  const style = document.createElement("style");
  style.textContent = css;
  const code = new Blob([esm], { type: "text/javascript" });
  const { default: view } = await import(URL.createObjectURL(code));
  const el = document.createElement("div");
  document.body.append(style, el);
  await view.initialize?.({ model });
  view.render({ model, el });
  Object.assign(window, { model, sent, tell });
};
</script>"""


def packed(arrays):
    """Arrays as the traits `layout_of` and `data`."""
    arrays = {n: np.atleast_2d(np.asarray(x, float)) for n, x in arrays.items()}
    data = b"".join(np.ascontiguousarray(x).tobytes() for x in arrays.values())
    layout = [[n, list(x.shape)] for n, x in arrays.items()]
    return {"layout_of": layout, "data": {"bytes": base64.b64encode(data).decode()}}


class Bare:
    """One page of a browser in which one view stands at a time."""

    def __init__(self, browser, width=1280, height=800):
        context = browser.new_context(viewport={"width": width, "height": height})
        self.page = context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._heard)
        self.page.set_content(PAGE)
        self.page.wait_for_function("() => Boolean(window.draw)")

    def _heard(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def draw(self, view, traits):
        traits = {"message": "", "leads": True, "pin": None, **traits}
        drawn = {"esm": view._esm, "css": view._css, "traits": traits}
        self.page.evaluate("drawn => window.draw(drawn)", drawn)

    def close(self):
        self.page.context.close()
