#!/usr/bin/env python3
"""An RTSP camera made of GStreamer's moving test picture, for tests (Debian: python3-gi gir1.2-gst-rtsp-server-1.0 and the
GStreamer plugins base, good and ugly).

    rtsp-camera.py PORT [basic|digest USER PASSWORD]

Serves rtsp://127.0.0.1:PORT/cam: H.264, 640x360, a whole picture every two seconds. Prints READY once it listens.
"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer

VIDEO = (
    "( videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=10/1 "
    "! x264enc key-int-max=20 tune=zerolatency speed-preset=ultrafast ! rtph264pay name=pay0 pt=96 )"
)

Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(VIDEO)
factory.set_shared(True)
if len(sys.argv) > 2:
    scheme, user, password = sys.argv[2:5]
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "user")
    if scheme == "digest":
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
        auth.add_digest(user, password, token)
    else:
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.BASIC)
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(user, password), token)
    server.set_auth(auth)
    permissions = GstRtspServer.RTSPPermissions()
    permissions.add_permission_for_role("user", "media.factory.access", True)
    permissions.add_permission_for_role("user", "media.factory.construct", True)
    factory.set_permissions(permissions)
server.get_mount_points().add_factory("/cam", factory)
server.attach(None)
print("READY", flush=True)
GLib.MainLoop().run()
