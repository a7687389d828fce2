// Puts a WHIP and a WHEP client of others into a page, for tests/e2e/test_whip_whep.py.
import { WebRTCPlayer } from "@eyevinn/webrtc-player";
import { WHIPClient } from "@eyevinn/whip-web-client";

Object.assign(window, { WebRTCPlayer, WHIPClient });
