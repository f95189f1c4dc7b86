#!/usr/bin/env python3
"""A simulated Marlin printer on a pseudo terminal, for hosts that open a serial device.

Binds the printer of OctoPrint's bundled Virtual Printer plugin to a pty; run it with the Python of a
virtual environment that has OctoPrint (`python3 -m venv V && V/bin/pip install OctoPrint==1.11.8`):

    V/bin/python marlin-pty.py LINK WORKDIR [--set KEY=VALUE ...] [--replug S] [--trace]

LINK becomes a symbolic link to the pty (e.g. WORK/ttyMARLIN). WORKDIR holds the virtual SD card (WORKDIR/sd,
files there end in .gco/.gcode) and EEPROM. --set overrides the plugin's settings, e.g. --set sendBusy=true
--set capabilities.AUTOREPORT_POS=true --set okBeforeCommandOutput=true --set throttle=0.
Lines written to the FIFO WORKDIR/control go to the printer as if the host had sent them: "!!DEBUG:help" lists the fault
commands; "!!DEBUG:drop_connection" pulls the plug: the pty disappears and a new one (a restarted printer) takes the link after
--replug seconds (default 2).
Prints "READY ..."; TERM or INT stops it and removes the link.
"""
import argparse, logging, os, select, signal, sys, threading, time, tty, types

try:
    import yaml
    from octoprint.plugins import virtual_printer
    from octoprint.plugins.virtual_printer import virtual
except ImportError as e:
    sys.exit(f"marlin-pty: run this with a Python that has OctoPrint installed ({e})")

ap = argparse.ArgumentParser()
ap.add_argument("link")
ap.add_argument("workdir")
ap.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
ap.add_argument("--replug", type=float, default=2.0)
ap.add_argument("--trace", action="store_true", help="print the conversation to stderr")
a = ap.parse_args()
if os.path.lexists(a.link) and not os.path.islink(a.link):
    sys.exit(f"marlin-pty: {a.link} exists and is no link")
sd = os.path.join(a.workdir, "sd")
os.makedirs(sd, exist_ok=True)
logging.basicConfig(level=logging.CRITICAL)

conf = virtual_printer.VirtualPrinterPlugin.get_settings_defaults(None)
conf["simulated_errors"] = []
for kv in a.set:
    key, _, value = kv.partition("=")
    node, *path = [conf] + key.split(".")
    for p in path[:-1]:
        node = node.setdefault(p, {})
    node[path[-1]] = yaml.safe_load(value)


class Settings:                                    # the part of a plugin's settings that the printer reads
    def get(self, path, merged=False, **_):
        node = conf
        for p in path:
            node = node.get(p) if isinstance(node, dict) else None
        return node
    get_int = lambda self, p, **_: int(self.get(p))
    get_float = lambda self, p, **_: float(self.get(p))
    get_boolean = lambda self, p, **_: bool(self.get(p))
    global_get_basefolder = lambda self, name: sd
    global_get = lambda self, path: None


profile = {"volume": {"width": 200, "depth": 200, "height": 200, "origin": "lowerleft", "formFactor": "rectangular", "custom_box": False}}
profiles = types.SimpleNamespace(get_current_or_default=lambda: profile)
start_sd_print = virtual.VirtualPrinter._startSdPrint


def resume_or_start(self):                         # the simulator ends a paused print on M24; firmwares go on with it
    if self._sdPrinter is None:
        start_sd_print(self)
    else:
        self._sdPrintingSemaphore.set()


virtual.VirtualPrinter._startSdPrint = resume_or_start
virtual.plugin_manager = lambda: types.SimpleNamespace(get_hooks=lambda *_: {})
stopping = threading.Event()


def trace(arrow, data):
    if a.trace:
        print(f"{time.time():.3f} {arrow} {data!r}", file=sys.stderr, flush=True)


current = None                                     # the printer that is switched on


def control():
    path = os.path.join(a.workdir, "control")
    if not os.path.exists(path):
        os.mkfifo(path)
    with open(os.open(path, os.O_RDWR), "rb") as fifo:     # held open for writing too, so that it never ends
        for line in fifo:
            trace("=>", line)
            if current is not None:
                try:
                    current.write(line.rstrip(b"\n") + b"\n")
                except Exception:
                    gone_by_control.set()


gone_by_control = threading.Event()


def session():
    """One power-on of the printer; returns when the connection is dropped."""
    master, slave = os.openpty()
    tty.setraw(master); tty.setraw(slave)          # the slave stays open here, so hosts may come and go
    tmp = a.link + ".new"
    if os.path.lexists(tmp):
        os.unlink(tmp)
    os.symlink(os.ttyname(slave), tmp)
    os.replace(tmp, a.link)
    vp = virtual.VirtualPrinter(Settings(), profiles, data_folder=a.workdir, read_timeout=0.2, write_timeout=10)
    global current
    gone_by_control.clear()
    gone, current = gone_by_control, vp

    def to_printer():
        buf = b""
        while not gone.is_set() and not stopping.is_set():
            if not select.select([master], [], [], 0.2)[0]:
                continue
            buf += os.read(master, 4096)
            while b"\n" in buf:
                line, buf = buf.split(b"\n", 1)
                trace("->", line)
                try:
                    vp.write(line + b"\n")
                except Exception:
                    return gone.set()

    t = threading.Thread(target=to_printer, daemon=True)
    t.start()
    print(f"READY port={a.link}", flush=True)
    try:
        while not gone.is_set() and not stopping.is_set():
            try:
                line = vp.readline()
            except Exception:
                break
            if line:
                line = line.rstrip(b"\r\n") + b"\n"
                trace("<-", line)
                while line and not stopping.is_set():   # nobody reads: keep it pending, as a full USB buffer would
                    if select.select([], [master], [], 0.2)[1]:
                        line = line[os.write(master, line):]
    finally:
        gone.set()
        t.join(1)
        vp._killed = True
        if os.path.islink(a.link):
            os.unlink(a.link)
        os.close(slave); os.close(master)
        try:
            vp.close()
        except Exception:
            pass


signal.signal(signal.SIGTERM, lambda *_: stopping.set())
signal.signal(signal.SIGINT, lambda *_: stopping.set())
threading.Thread(target=control, daemon=True).start()
while not stopping.is_set():
    session()
    if not stopping.is_set():
        print(f"unplugged, back in {a.replug} s", flush=True)
        stopping.wait(a.replug)
os._exit(0)                                        # the printer's own threads are not daemons
