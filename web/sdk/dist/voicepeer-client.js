class D {
  #e;
  #t;
  #s = 600;
  /** Until `budgetMs` after `now` (ms); `random` gives 0 to under 1. */
  constructor(e, t, s = Math.random) {
    this.#e = e + t, this.#t = s;
  }
  /** How long to wait before the next attempt, in ms; `null` when it is time to give up. */
  next(e) {
    if (e >= this.#e) return null;
    const t = this.#s * (0.5 + 0.5 * this.#t());
    return this.#s = Math.min(5e3, 2 * this.#s), t;
  }
}
function l() {
  let n;
  const e = new Promise((t, s) => {
    n = { resolve: t, reject: s };
  });
  return e.catch(() => {
  }), { promise: e, ...n };
}
function Y(n, e, t) {
  let s;
  const i = new Promise((r, o) => {
    s = setTimeout(() => o(t()), e);
  });
  return Promise.race([n, i]).finally(() => clearTimeout(s));
}
function b(n) {
  return new Promise((e) => {
    setTimeout(e, n);
  });
}
const K = "rtvi-ai", ue = "2.1.0", de = {
  joined: { session_id: "string", ice_servers: "object[]", resumed: "boolean?", resume_token: "string|null?", restored: "boolean?" },
  answer: { sdp: "string", connection: "string?" },
  candidate: { candidate: "string|null?", sdpMid: "string|null?", sdpMLineIndex: "number|null?", connection: "string?" },
  pong: {},
  bye: { reason: "string" },
  error: { code: "string", message: "string", fatal: "boolean?" }
}, fe = {
  "bot-ready": { session_id: "string", engine: "string", provider: "string", precision: "string", languages: "string[]", version: "string?", about: "object?", resumed: "boolean?", utterances: "string[]?", controls: "object?", emotions: "string[]?" },
  "voice.progress": { heard_s: "number", needed_s: "number", score: "number", quality: "number", snr_db: "number|null?", hint: "string|null?", hint_code: "string|null?" },
  "voice.usable": { voice_id: "string", heard_s: "number", score: "number", quality: "number", elapsed_ms: "number" },
  "voice.ready": { voice_id: "string", heard_s: "number", score: "number", quality: "number", elapsed_ms: "number", clone_ms: "number" },
  "voice.refined": { voice_id: "string", count: "number" },
  "voice.rejected": { message: "string", code: "string?" },
  "voice.selected": { voice_id: "string", name: "string" },
  "voice.saved": { voice_id: "string", name: "string" },
  "utterance.accepted": { utterance_id: "string", queued: "number" },
  "utterance.started": { utterance_id: "string", latency_ms: "number" },
  "utterance.word": { utterance_id: "string", text: "string", start_ms: "number", end_ms: "number", char_start: "number", char_end: "number" },
  "utterance.viseme": { utterance_id: "string", viseme: "string", ipa: "string", start_ms: "number", end_ms: "number" },
  "utterance.caption": { utterance_id: "string", text: "string", start_ms: "number", char_start: "number", char_end: "number" },
  "lexicon.accepted": { entries: "number", voice_id: "string|null?" },
  "utterance.done": { utterance_id: "string", audio_ms: "number", first_audible_ms: "number|null", rtf: "number|null", underruns: "number" },
  "utterance.cancelled": { utterance_id: "string", played_ms: "number" },
  "utterance.failed": { utterance_id: "string", code: "string", message: "string", played_ms: "number", retryable: "boolean" },
  "utterance.similarity": { utterance_id: "string", cosine: "number" },
  "session.configured": { barge_in: "boolean", barge_in_min_ms: "number", audio_levels: "boolean?", similarity: "boolean?" },
  "session.ending": { reason: "string", within_s: "number" },
  "room.joined": { participant: "string", manages: "boolean?" },
  "room.roster": { participants: "object[]" },
  "room.gone": { participant: "string", reason: "string" },
  "room.speaking": { participants: "string[]" },
  "room.slots": { slots: "object[]" },
  "room.left": { reason: "string" },
  "user-started-speaking": {},
  "user-stopped-speaking": {},
  "bot-interrupted": {},
  "bot-started-speaking": {},
  "bot-stopped-speaking": {},
  "bot-tts-started": {},
  "bot-tts-text": { text: "string" },
  "bot-tts-stopped": {},
  "bot-output": { text: "string", aggregated_by: "string?", segment_id: "number|null?", will_be_spoken: "boolean?", spoken_status: "string|null?", spoken_progress: "object|null?" },
  metrics: { ttfb: "object[]|null?", processing: "object[]|null?", characters: "object[]|null?" },
  "bot-audio-level": { value: "number" },
  "user-audio-level": { value: "number" },
  "server-response": { t: "string", d: "object?" },
  "error-response": { error: "string", code: "string", fatal: "boolean?", utterance_id: "string|null?" },
  error: { error: "string", code: "string", fatal: "boolean?", utterance_id: "string|null?", message: "string?" },
  stats: { frames_sent: "number", underruns: "number", stale_dropped: "number", mic_frames: "number", mic_frames_lost: "number", mic_frames_concealed: "number", lead_ms: "number", utterances: "number", chunks_repaired: "number?", frames_skipped: "number?", frames_failed: "number?", bitrate_bps: "number?", loss_expected_percent: "number?" },
  pong: { sent_ms: "number?" }
};
function X(n, e) {
  return Q(fe, n, e);
}
function me(n, e) {
  return Q(de, n, e);
}
function Q(n, e, t) {
  const s = Object.hasOwn(n, e) ? n[e] : void 0;
  return s === void 0 ? "unknown" : L(s, t) ? "fits" : "broken";
}
function L(n, e) {
  return Object.entries(n).every(([t, s]) => pe(s, e, t));
}
function pe(n, e, t) {
  const s = n.endsWith("?");
  return Object.hasOwn(e, t) ? (s ? n.slice(0, -1) : n).split("|").some((i) => Z(i, e[t])) : s;
}
function Z(n, e) {
  if (n.endsWith("[]")) return Array.isArray(e) && e.every((t) => Z(n.slice(0, -2), t));
  switch (n) {
    case "null":
      return e === null;
    case "object":
      return f(e) !== null;
    case "number":
      return typeof e == "number" && Number.isFinite(e);
    default:
      return typeof e === n;
  }
}
function f(n) {
  return typeof n == "object" && n !== null && !Array.isArray(n) ? n : null;
}
function g(n) {
  if (typeof n != "string") return null;
  try {
    return f(JSON.parse(n));
  } catch {
    return null;
  }
}
const ge = /* @__PURE__ */ new Set(
  ["client-ready", "send-text", "disconnect-bot"]
), we = {
  "server-response": "answer",
  "error-response": "refusal"
};
function x(n, e, t = "") {
  const s = ge.has(n);
  return JSON.stringify({
    label: K,
    type: s ? n : "client-message",
    id: t,
    data: s ? e : { t: n, d: e }
  });
}
function ve(n) {
  const e = g(n);
  if (e === null || e.label !== K) return null;
  const { type: t, id: s } = e, i = f(e.data ?? {});
  if (typeof t != "string" || i === null) return "broken";
  const r = we[t] ?? "event", o = t === "server-message" || r === "answer", c = o ? i.t : t, h = o ? f(i.d ?? {}) : i;
  if (typeof c != "string" || h === null) return "broken";
  const w = { kind: r, name: c, id: typeof s == "string" ? s : "", fields: h };
  if (r === "answer") return w;
  const v = X(c, h);
  return v === "fits" ? w : v === "unknown" ? null : "broken";
}
const I = {
  // Refusals of the service.
  unauthorized: ["user", "This service needs an access key. Enter it and try again.", "此服务需要访问密钥。请输入密钥后重试。"],
  token_expired: ["user", "The access token has expired. Get a new one and try again.", "访问令牌已过期。请获取新令牌后重试。"],
  forbidden: ["user", "Your access key does not allow this. Ask whoever gave it to you.", "您的访问密钥没有此权限。请联系密钥的提供者。"],
  origin_not_allowed: ["service", "This page may not use the service: its operator has to allow the page's address.", "此页面不能使用该服务：需要服务管理员允许本页面的地址。"],
  rate_limited: ["user", "That was too much at once. Wait a minute, then try again.", "请求过于频繁。请稍等一分钟后重试。"],
  at_capacity: ["service", "All places are taken at the moment. Try again in a minute.", "目前名额已满。请一分钟后重试。"],
  room_full: ["service", "This room is full at the moment. Try again in a minute.", "此房间目前已满。请一分钟后重试。"],
  not_ready: ["service", "The service is getting ready. Try again in a moment.", "服务正在准备中。请稍后重试。"],
  shutting_down: ["service", "The service is being restarted. Try again in a minute.", "服务正在重启。请一分钟后重试。"],
  protocol_unsupported: ["user", "This page is older or newer than the service. Reload it.", "此页面与服务的版本不匹配。请刷新页面。"],
  text_rejected: ["user", "This text cannot be said: {detail}", "此文本无法朗读：{detail}"],
  text_too_long: ["user", "This text is too long. Say it in parts.", "文本过长。请分段朗读。"],
  text_stream_failed: ["user", "The source of the text has failed; what had come of it was cut off.", "文本来源出错，后续内容已中断。"],
  enrolment_stopped: ["user", "Learning was stopped. The voice stays as it is.", "录制已停止，声音保持不变。"],
  voice_not_ready: ["user", "There is no voice yet. Learn one or choose one first.", "还没有可用的声音。请先录制或选择一个声音。"],
  voice_not_found: ["user", "This voice does not exist any more. Choose another one.", "此声音已不存在。请选择其他声音。"],
  voice_exists: ["user", "There is a voice of this name already. Choose another name.", "已有同名的声音。请换一个名称。"],
  voice_rejected: ["user", "The voice could not be learned: {detail}", "无法学习此声音：{detail}"],
  voice_file_invalid: ["user", "This file holds no voice that can be used. Choose one that was exported here.", "此文件不包含可用的声音。请选择从本服务导出的文件。"],
  consent_not_found: ["user", "The consent does not exist any more. Give it again.", "授权已不存在。请重新授权。"],
  consent_withdrawn: ["user", "The speaker has withdrawn their consent to this voice.", "说话人已撤回对此声音的授权。"],
  consent_speaker: ["user", "Somebody else than the speaker has consented. The speaker has to agree.", "授权人与说话人不一致。须由说话人本人同意。"],
  language_unsupported: ["user", "The service does not speak this language. Choose another one.", "服务不支持此语言。请选择其他语言。"],
  engine_failed: ["service", "The service could not say this. Try again.", "服务未能朗读此文本。请重试。"],
  engine_busy: ["service", "The service has too much to say at the moment. Try again in a minute.", "服务当前繁忙。请一分钟后重试。"],
  bad_message: ["service", "The service did not understand this page. Reload it.", "服务无法理解此页面的请求。请刷新页面。"],
  bad_answer: ["service", "The service has said something that this page does not understand. Reload the page.", "页面无法理解服务的回复。请刷新页面。"],
  internal: ["service", "The service has a problem of its own. Try again.", "服务出现内部问题。请重试。"],
  // Between here and there.
  unreachable: ["network", "The service cannot be reached. Check the connection, then try again.", "无法连接到服务。请检查网络后重试。"],
  no_connection: ["network", "No media connection came about. A firewall may block it: ask for a TURN server.", "无法建立媒体连接，可能被防火墙阻止。请联系管理员配置 TURN 服务器。"],
  connection_lost: ["network", "The connection was lost.", "连接已断开。"],
  not_connected: ["network", "There is no connection to the service. Start the call first.", "尚未连接到服务。请先开始通话。"],
  call_over: ["user", "This call is over. Start another one.", "此通话已结束。请重新开始。"],
  token_failed: ["network", "The page could not get its access to the service. Check the connection, then try again.", "页面无法获取服务的访问权限。请检查网络后重试。"],
  timeout: ["network", "The service took too long to answer. Try again.", "服务响应超时。请重试。"],
  // Ends of a call that are no errors.
  client_left: ["user", "The call was ended here.", "通话已在此结束。"],
  replaced: ["user", "The call goes on in another tab or on another device.", "通话已在其他标签页或设备上继续。"],
  resumed_elsewhere: ["user", "The call goes on in another tab or on another device.", "通话已在其他标签页或设备上继续。"],
  connect_timeout: ["network", "No media connection came about. A firewall may block it: ask for a TURN server.", "无法建立媒体连接，可能被防火墙阻止。请联系管理员配置 TURN 服务器。"],
  client_vanished: ["network", "The service heard nothing from this page any more.", "服务收不到此页面的任何信息。"],
  channel_closed: ["network", "The connection was lost.", "连接已断开。"],
  signaling_lost: ["network", "The connection to the service was lost.", "与服务的连接已断开。"],
  ended_by_operator: ["service", "Whoever runs the service has ended the call.", "服务管理员已结束通话。"],
  // In the browser.
  "page.insecure": ["browser", "Browsers allow the microphone only over HTTPS or on localhost. Open this page at such an address.", "浏览器仅允许在 HTTPS 或 localhost 下使用麦克风。请通过此类地址打开页面。"],
  "browser.unsupported": ["browser", "This browser cannot make calls (WebRTC is missing or turned off). Use a current Chrome, Edge, Firefox or Safari.", "此浏览器无法通话（缺少或已禁用 WebRTC）。请使用最新版 Chrome、Edge、Firefox 或 Safari。"],
  "microphone.denied": ["user", "The microphone was not allowed, so you can only listen. Allow it beside the page's address, then try again.", "麦克风未获允许，您只能收听。请在地址栏旁允许使用麦克风后重试。"],
  "microphone.missing": ["user", "No microphone was found, so you can only listen. Connect one, then try again.", "未找到麦克风，您只能收听。请连接麦克风后重试。"],
  "microphone.busy": ["user", "The microphone is in use by another program. Close that, then try again.", "麦克风正被其他程序占用。请关闭该程序后重试。"],
  "microphone.lost": ["user", "The microphone is gone. Connect it again or choose another one.", "麦克风已断开。请重新连接或选择其他麦克风。"],
  "microphone.changed": ["user", "The call goes on with another microphone: {detail}", "通话已切换到其他麦克风：{detail}"],
  "microphone.silent": ["user", "The microphone gives no sound at all. Is it muted, by a switch or in the system's settings?", "麦克风没有任何声音。请检查是否在硬件开关或系统设置中被静音。"],
  "microphone.heard": ["user", "The microphone gives sound again.", "麦克风已恢复声音。"],
  "audio.blocked": ["browser", "The browser blocks sound until you click or press a key on the page.", "浏览器已阻止声音。请点击页面或按任意键。"],
  "audio.interrupted": ["browser", "Another app or a phone call has taken the sound. It comes back when that is over.", "声音被其他应用或来电占用，结束后会自动恢复。"],
  "audio.resumed": ["browser", "Sound is on.", "声音已开启。"],
  "output.fixed": ["browser", "This browser plays only through the system's default output. Change it in the system's settings.", "此浏览器只能使用系统默认输出设备。请在系统设置中更改。"],
  "output.missing": ["user", "This loudspeaker cannot be used. Connect it again or choose another one.", "无法使用此扬声器。请重新连接或选择其他扬声器。"],
  // How it goes.
  "connection.lost": ["network", "The connection was lost. Coming back …", "连接已断开，正在重新连接……"],
  "connection.back": ["network", "The connection is back. The call goes on where it was.", "连接已恢复，通话继续。"],
  "connection.new": ["service", "The service has forgotten the call, so a new one was begun.", "服务已丢失原通话，已开始新的通话。"],
  "service.starting": ["service", "The service is getting ready. Waiting for it …", "服务正在准备，请稍候……"]
}, be = {
  rate_limit_exceeded: "rate_limited",
  invalid_api_key: "unauthorized"
}, Ft = Object.keys(I);
let ee = null;
function ye(n) {
  ee = n;
}
function _e() {
  const n = globalThis.navigator?.language?.toLowerCase() ?? "";
  return ee ?? (n.startsWith("zh") ? "zh" : "en");
}
function m(n, e = _e(), t = "") {
  const s = te(n);
  return s === void 0 ? t || `${m("internal", e)} (${n})` : s[e === "zh" ? 2 : 1].replace("{detail}", () => t);
}
function R(n) {
  return te(n)?.[0] ?? "service";
}
function te(n) {
  const e = be[n] ?? n;
  return Object.hasOwn(I, e) ? I[e] : void 0;
}
class a extends Error {
  name = "VoicePeerError";
  code;
  /** Whose it is to change something. */
  fault;
  detail;
  utteranceId;
  constructor(e, t = {}) {
    const s = t.detail ?? "";
    super(m(e, void 0, s), "cause" in t ? { cause: t.cause } : void 0), this.code = e, this.detail = s, this.fault = R(e), this.utteranceId = t.utteranceId;
  }
  /** The message in another language than that of `setLanguage`. */
  in(e) {
    return m(this.code, e, this.detail);
  }
}
function p(n, e = "internal") {
  if (n instanceof a) return n;
  const t = n instanceof Error ? n.message : String(n);
  return new a(e, { detail: t, cause: n });
}
class se {
  #e = /* @__PURE__ */ new Map();
  /** Call `listener` at every event of this name, until the function that is returned is called. */
  on(e, t) {
    const s = this.#e.get(e) ?? /* @__PURE__ */ new Set();
    return this.#e.set(e, s), s.add(t), () => void s.delete(t);
  }
  /** The next event of this name. */
  once(e) {
    return new Promise((t) => {
      const s = this.on(e, (i) => {
        s(), t(i);
      });
    });
  }
  /** Tell all listeners. One that throws is reported like any uncaught error; the others go on. */
  emit(e, t) {
    for (const s of [...this.#e.get(e) ?? []])
      try {
        s(t);
      } catch (i) {
        ke(i);
      }
  }
}
function ke(n) {
  typeof reportError == "function" ? reportError(n) : setTimeout(() => {
    throw n;
  }, 0);
}
function ne() {
  const n = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(n, (e) => e.toString(16).padStart(2, "0")).join("");
}
const Te = {
  idle: { connect: "connecting", ended: "closed" },
  connecting: { established: "connected", lost: "closed", ended: "closed" },
  connected: { media_stopped: "shaky", lost: "rejoining", ended: "closed" },
  shaky: { media_flows: "connected", lost: "rejoining", ended: "closed" },
  rejoining: { established: "connected", ended: "closed" },
  closed: {}
}, Se = {
  idle: "idle",
  connecting: "connecting",
  connected: "connected",
  shaky: "interrupted",
  rejoining: "interrupted",
  closed: "closed"
}, Ee = /* @__PURE__ */ new Set([
  "channel_closed",
  "client_vanished",
  "connection_lost",
  "signaling_lost",
  "shutting_down"
]);
function Me(n, e) {
  return Te[n][e] ?? n;
}
function xe(n) {
  return Se[n];
}
function Ie(n) {
  return Ee.has(n);
}
const Ae = 1e4, Oe = 4e3;
class je {
  #e;
  #t;
  constructor(e) {
    this.#e = this.#t = e;
  }
  /** A message came. */
  heard(e) {
    this.#e = e;
  }
  /** Whether the connection counts as lost at this tick. */
  lost(e) {
    return e - this.#t > Oe && (this.#e = e), this.#t = e, e - this.#e > Ae;
  }
}
const Ce = 15e3, Le = 1e3;
class Re {
  pc;
  #e;
  #t;
  #s;
  #n = l();
  #r = l();
  #i;
  #o = !1;
  /** Nothing happens before `connect`. */
  constructor(e) {
    this.#s = e, this.pc = new RTCPeerConnection({ bundlePolicy: "max-bundle", ...e.rtc });
    const t = this.pc.addTransceiver(e.microphone ?? "audio", { direction: "sendrecv" });
    this.#t = t.sender, this.#e = this.pc.createDataChannel("rtvi", { ordered: !0 }), this.#h();
  }
  /** Offer, and wait until messages can be sent; rejects with a `VoicePeerError`. */
  async connect() {
    const e = () => new a("no_connection");
    return Y(this.#a(), Ce, e);
  }
  /** Take what the service says on the socket about this link. */
  signal(e) {
    "connection" in e && e.connection === "room" || (e.type === "answer" ? this.#n.resolve(e.sdp) : e.type === "candidate" ? this.#l(e) : e.type === "error" ? this.fail(new a(e.code, { detail: e.message })) : e.type === "bye" && this.fail(new a(e.reason)));
  }
  /** Stop waiting for the connection to come about; nothing once it has. */
  fail(e) {
    this.#n.reject(e), this.#r.reject(e);
  }
  /** Send on the data channel; whether that was possible. */
  send(e) {
    return this.#e.readyState !== "open" ? !1 : (this.#e.send(e), !0);
  }
  /** Bytes that wait to be sent. */
  get bufferedBytes() {
    return this.#e.bufferedAmount;
  }
  /** Send another microphone from now on, or none. */
  async replaceMicrophone(e) {
    this.#o || await this.#t.replaceTrack(e);
  }
  /** Close; nothing that it still says counts. */
  close() {
    this.#o = !0, clearInterval(this.#i), this.fail(new a("connection_lost")), this.#e.close(), this.pc.close();
  }
  async #a() {
    const e = await this.pc.createOffer();
    return this.#s.send({ type: "offer", sdp: e.sdp ?? "" }), await this.pc.setLocalDescription(e), await this.pc.setRemoteDescription({ type: "answer", sdp: await this.#n.promise }), this.#r.promise;
  }
  #l({ candidate: e, sdpMid: t, sdpMLineIndex: s }) {
    this.#n.promise.then(() => this.pc.addIceCandidate(
      { candidate: e ?? "", sdpMid: t ?? null, sdpMLineIndex: s ?? null }
    )).catch(() => {
    });
  }
  #h() {
    this.pc.addEventListener("track", ({ track: e }) => {
      this.#o || this.#s.listener.track(e);
    }), this.pc.addEventListener("icecandidate", ({ candidate: e }) => this.#s.send({ type: "candidate", ...e?.toJSON() })), this.pc.addEventListener("connectionstatechange", () => this.#v()), this.#e.addEventListener("open", () => this.#u()), this.#e.addEventListener("message", ({ data: e }) => this.#d(e)), this.#e.addEventListener("close", () => this.#p("channel_closed"));
  }
  #u() {
    const e = { library: "@voicepeer/client", platform: "browser" };
    this.send(x("client-ready", { version: ue, about: e, rtvi_events: !1 }));
    const t = new je(performance.now());
    this.#e.addEventListener("message", () => t.heard(performance.now())), this.#i = setInterval(() => {
      this.send(x("ping", { sent_ms: performance.now() })), t.lost(performance.now()) && this.#p("connection_lost");
    }, Le);
  }
  #d(e) {
    const t = ve(e);
    if (!(t === null || this.#o)) {
      if (t === "broken") return this.#s.listener.broken();
      t.name === "bot-ready" && this.#r.resolve(t.fields), this.#s.listener.message(t);
    }
  }
  #v() {
    if (this.#o) return;
    const e = this.pc.connectionState;
    e === "failed" || e === "closed" ? this.#p("connection_lost") : (e === "disconnected" || e === "connected") && this.#s.listener.flows(e === "connected");
  }
  #p(e) {
    this.#o || (this.close(), this.#s.listener.lost(e));
  }
}
const Ne = 1e4, Pe = 15e3, Ue = 3e3;
class N {
  #e;
  #t;
  #s;
  #n = !1;
  constructor(e, t) {
    this.#e = e, this.#t = t, e.addEventListener("close", () => this.#o());
  }
  /**
   * Open a socket and join.
   *
   * Rejects with a `VoicePeerError`: `unreachable`, or the code with which the service refuses.
   */
  static async join(e, t, s) {
    const i = new WebSocket(e), r = () => new a("unreachable");
    try {
      const o = await Y(De(i, t), Ne, r);
      return [new N(i, s).#i(), o];
    } catch (o) {
      throw i.close(), o;
    }
  }
  /** Send, unless the socket is closed. */
  send(e) {
    this.#e.readyState === WebSocket.OPEN && this.#e.send(JSON.stringify(e));
  }
  /** End the session. */
  leave() {
    this.send({ type: "leave" }), this.#r(1e3);
  }
  /** Close without ending the session; the listener hears no more. */
  drop() {
    this.#r(Ue);
  }
  #r(e) {
    this.#n || (this.#n = !0, clearInterval(this.#s), this.#e.close(e));
  }
  #i() {
    return this.#s = setInterval(() => this.send({ type: "ping" }), Pe), this.#e.addEventListener("message", ({ data: e }) => {
      const t = ie(e);
      t !== null && !this.#n && this.#t.signal(t);
    }), this;
  }
  #o() {
    clearInterval(this.#s), this.#n || this.#t.gone();
  }
}
function ie(n) {
  const e = g(n), t = e?.type;
  return e === null || typeof t != "string" || me(t, e) !== "fits" ? null : e;
}
function De(n, e) {
  return new Promise((t, s) => {
    n.addEventListener("open", () => n.send(JSON.stringify(e)), { once: !0 });
    for (const i of ["error", "close"])
      n.addEventListener(i, () => s(new a("unreachable")), { once: !0 });
    n.addEventListener("message", ({ data: i }) => {
      const r = ie(i);
      r?.type === "joined" ? t(r) : r?.type === "error" ? s(new a(r.code, { detail: r.message })) : r?.type === "bye" ? s(new a(r.reason)) : s(new a("unreachable"));
    }, { once: !0 });
  });
}
const Be = 6e4, We = 4e3, Fe = 5e3, Ve = 5, qe = 200, He = /* @__PURE__ */ new Set([
  "unreachable",
  "token_failed",
  "no_connection",
  "connection_lost",
  "channel_closed",
  "timeout",
  "not_ready",
  "at_capacity",
  "shutting_down",
  "client_vanished"
]);
class $e extends se {
  #e;
  #t;
  #s = "idle";
  #n = null;
  #r = null;
  #i;
  #o = "";
  #a = [];
  /** The session was lost for good since there was a connection. */
  #l = !1;
  #h = 0;
  #u = 0;
  constructor(e) {
    super(), this.#e = e, this.#t = e.resume?.clientId ?? ne(), this.#i = e.resume?.token ?? null;
  }
  get state() {
    return xe(this.#s);
  }
  /** Of the call in the service's log and API; empty before the first connection. */
  get sessionId() {
    return this.#o;
  }
  get pc() {
    return this.#r?.pc ?? null;
  }
  /** Connect; rejects with a `VoicePeerError`. `restored` where an earlier session goes on. */
  async open() {
    if (this.#s !== "idle") throw new a("call_over");
    this.#b("connect");
    try {
      const e = await this.#d();
      return this.#T(), e;
    } catch (e) {
      throw this.#n?.leave(), this.#f("ended"), p(e);
    }
  }
  /** Send a message, at once or when the connection is back. Throws `not_connected` where there is none. */
  send(e, t, s) {
    const i = x(e, t, s);
    if (this.#s === "rejoining" && this.#a.length < qe) this.#a.push(i);
    else if (this.#s === "rejoining" || !this.#r?.send(i)) throw new a("not_connected");
  }
  /** Bytes that wait to be sent. */
  get bufferedBytes() {
    return this.#r?.bufferedBytes ?? 0;
  }
  /** Send another microphone from now on, or none. */
  async replaceMicrophone(e) {
    await this.#r?.replaceMicrophone(e);
  }
  /** Hang up; harmless when it is over already. */
  close() {
    this.#n?.leave(), this.#w("client_left");
  }
  /** Let go without ending the session, which the service keeps for whoever resumes it. */
  detach() {
    this.#f("ended");
  }
  // --- once ---------------------------------------------------------------------------------
  /** Make a connection, in the session that was just joined or in one that is joined for it. */
  async #d(e) {
    const t = e ?? await this.#v({ resume_token: this.#i });
    if (t.restored || (this.#l = !0), this.#s === "closed") throw new a("client_left");
    this.#r?.close();
    const s = new Re({
      rtc: { iceServers: t.ice_servers, ...this.#e.rtc },
      microphone: this.#e.microphone(),
      send: (r) => this.#n?.send(r),
      listener: {
        track: (r) => this.emit("track", r),
        message: (r) => this.emit("message", r),
        broken: () => this.emit("broken", void 0),
        flows: (r) => this.#b(r ? "media_flows" : "media_stopped"),
        lost: (r) => this.#m(r)
      }
    });
    this.#r = s;
    const i = await s.connect();
    return { restored: !this.#l, ready: i };
  }
  async #v(e) {
    const { room: t, name: s } = this.#e, i = await this.#e.token(), r = { type: "join", room: t, name: s, token: i, client_id: this.#t, ...e }, [o, c] = await N.join(Ge(this.#e.url), r, {
      signal: (h) => this.#p(h),
      gone: () => this.#y()
    });
    if (this.#s === "closed")
      throw o.leave(), new a("client_left");
    return this.#n?.drop(), this.#n = o, this.#o = c.session_id, this.#i = c.resume_token ?? null, this.#i && this.emit("resumption", { token: this.#i, clientId: this.#t }), c;
  }
  #p(e) {
    this.#r?.signal(e);
    const t = this.#s === "connected" || this.#s === "shaky";
    e.type === "error" && t && this.emit("refused", new a(e.code, { detail: e.message })), !(e.type !== "bye" || this.#s === "connecting") && (Ie(e.reason) ? this.#m(e.reason) : this.#w(e.reason));
  }
  // --- again --------------------------------------------------------------------------------
  #y() {
    this.#n = null, this.#r?.fail(new a("connection_lost")), (this.#s === "connected" || this.#s === "shaky") && this.#_();
  }
  /** Media flows without the socket; win it back before the service's grace is over. */
  async #_() {
    const e = new D(performance.now(), We);
    for (let t = e.next(performance.now()); t !== null; t = e.next(performance.now())) {
      if (await b(t), this.#n !== null || !["connected", "shaky"].includes(this.#s)) return;
      try {
        const s = await this.#v({ resume: !0, resume_token: this.#i });
        s.resumed || this.#m("signaling_lost", s);
        return;
      } catch (s) {
        if (!B(s)) break;
      }
    }
    this.#m("signaling_lost");
  }
  /** The connection is gone: make a new one on which the session goes on, or end. */
  #m(e, t) {
    if (this.#s !== "connected" && this.#s !== "shaky") return;
    const s = performance.now() - this.#h < Fe;
    this.#u = s ? this.#u + 1 : 0, this.#u > Ve ? this.#w(e) : (this.#b("lost"), this.emit("lost", void 0), this.#g(e, t));
  }
  async #g(e, t) {
    if (this.#l = !1, t !== void 0 && await this.#c(t) !== "again") return;
    const s = new D(performance.now(), Be);
    for (let i = s.next(performance.now()); i !== null; i = s.next(performance.now()))
      if (await b(i), this.#S(), this.#s !== "rejoining" || await this.#c() !== "again") return;
    this.#w(e);
  }
  /** One attempt. */
  async #c(e) {
    try {
      const t = await this.#d(e);
      return this.#T(), this.emit("reconnected", t), this.#k(), "done";
    } catch (t) {
      return B(t) ? "again" : (this.#w(p(t).code), "over");
    }
  }
  #k() {
    const e = this.#a;
    this.#a = [];
    for (const t of e) this.#r?.send(t);
  }
  // --- over ---------------------------------------------------------------------------------
  #T() {
    this.#h = performance.now(), this.#b("established");
  }
  /** Let go of what is left of a connection; the session is kept for us. */
  #S() {
    this.#r?.close(), this.#n?.drop(), this.#r = this.#n = null;
  }
  #w(e) {
    if (this.#s === "closed") return;
    const t = this.#s !== "connecting" && this.#s !== "idle";
    this.#f("ended"), t && this.emit("ended", e);
  }
  #f(e) {
    this.#a = [], this.#S(), this.#b(e);
  }
  #b(e) {
    const t = this.state;
    this.#s = Me(this.#s, e), this.state !== t && this.emit("state", this.state);
  }
}
function B(n) {
  return He.has(p(n).code);
}
function Ge(n) {
  const e = new URL("ws", n);
  return e.protocol = e.protocol === "https:" ? "wss:" : "ws:", e.hash = e.search = "", e;
}
const ze = {
  echoCancellation: !0,
  noiseSuppression: !1,
  autoGainControl: !1,
  channelCount: 1
};
async function re() {
  const n = await navigator.mediaDevices?.enumerateDevices() ?? [], e = (t) => n.filter((s) => s.kind === t && s.deviceId !== "").map(
    ({ deviceId: s, label: i }) => ({ id: s, label: i })
  );
  return { microphones: e("audioinput"), outputs: e("audiooutput"), canChooseOutput: oe() };
}
function oe() {
  return typeof HTMLMediaElement < "u" && "setSinkId" in HTMLMediaElement.prototype;
}
async function W(n) {
  const e = n === null ? {} : { deviceId: { exact: n } };
  return (await navigator.mediaDevices.getUserMedia({ audio: { ...ze, ...e } })).getAudioTracks()[0];
}
class ae {
  #e = [];
  #t = !1;
  #s = [];
  /** Add an item; nothing once the stream is closed. */
  push(e) {
    this.#t || (this.#e.push(e), this.#n());
  }
  /** No more items come. */
  close() {
    this.#t = !0, this.#n();
  }
  async *[Symbol.asyncIterator]() {
    for (let e = 0; ; e += 1) {
      for (; e >= this.#e.length; ) {
        if (this.#t) return;
        await new Promise((t) => this.#s.push(t));
      }
      yield this.#e[e];
    }
  }
  #n() {
    const e = this.#s;
    this.#s = [];
    for (const t of e) t();
  }
}
class Je {
  #e = new ae();
  #t = l();
  #s = l();
  #n;
  #r = !1;
  #i = null;
  constructor(e) {
    this.#n = e;
  }
  /** When the voice can be spoken with; it still gets better. Rejects with a `VoicePeerError`. */
  get usable() {
    return this.#t.promise;
  }
  /** When the voice is as good as the needed seconds make it. Rejects with a `VoicePeerError`. */
  get ready() {
    return this.#s.promise;
  }
  /** Whether nothing more will come of it. */
  get isOver() {
    return this.#r !== !1;
  }
  /** Stop learning; the voice stays as it is. */
  stop() {
    this.isOver || (this.#n(), this.fail(new a("enrolment_stopped")));
  }
  async *[Symbol.asyncIterator]() {
    if (yield* this.#e, this.#r instanceof a) throw this.#r;
  }
  // --- for the call ---
  /** @internal */
  progressed(e) {
    const { heard_s: t, needed_s: s, quality: i } = e, r = s > 0 ? Math.min(1, t / s) : 0, [o, c, h] = [e.hint ?? null, e.hint_code ?? null, e.snr_db ?? null];
    this.#e.push({ heardS: t, neededS: s, share: r, quality: i, snrDb: h, hint: o, hintCode: c });
  }
  /** @internal */
  becameUsable(e) {
    this.#i = Ye(e), this.#t.resolve(this.#i);
  }
  /** @internal Be content with the voice as it is; whether there is one. */
  settle() {
    return this.#i === null ? !1 : (this.#s.resolve(this.#i), this.#r = !0, this.#e.close(), !0);
  }
  /** @internal */
  becameReady(e) {
    this.becameUsable(e), this.settle();
  }
  /** @internal */
  fail(e) {
    this.isOver || (this.#r = e, this.#t.reject(e), this.#s.reject(e), this.#e.close());
  }
}
function Ye(n) {
  return { voiceId: n.voice_id, heardS: n.heard_s, quality: n.quality, elapsedMs: n.elapsed_ms };
}
const Ke = 3e4;
function Xe(n) {
  return { body: JSON.stringify(n), headers: { "Content-Type": "application/json" } };
}
class F {
  #e;
  #t;
  constructor(e, t) {
    this.#e = e, this.#t = t;
  }
  /** The JSON object of a shape that a request is answered with; rejects with a `VoicePeerError`. */
  async json(e, t, s, i = {}) {
    const r = g(await (await this.request(e, t, i)).text());
    if (r === null || !L(s, r)) throw new a("bad_answer", { detail: t });
    return r;
  }
  /** An answer of 2xx; rejects with a `VoicePeerError` otherwise. */
  async request(e, t, s = {}) {
    const i = new Headers(s.headers), r = await this.#t();
    r && i.set("Authorization", `Bearer ${r}`);
    const o = AbortSignal.timeout(Ke);
    let c;
    try {
      c = await fetch(new URL(t, this.#e), { cache: "no-store", signal: o, ...s, method: e, headers: i });
    } catch (h) {
      throw p(h, o.aborted ? "timeout" : "unreachable");
    }
    if (!c.ok) throw await Qe(c);
    return c;
  }
}
async function Qe(n) {
  const e = f(g(await n.text().catch(() => ""))?.error), { code: t = n.status === 401 ? "unauthorized" : "internal", message: s = n.statusText } = e ?? {};
  return new a(String(t), { detail: String(s) });
}
class Ze {
  #e = {};
  #t = {};
  #s = /* @__PURE__ */ new Map();
  #n = null;
  /** The service was asked for this. */
  asked(...[e, t]) {
    e === "controls.set" ? (t.utterance_id ?? "*") === "*" && (this.#e = { ...this.#e, ...t }) : e === "session.configure" ? this.#t = { ...this.#t, ...t } : e === "lexicon.set" ? this.#s.set(t.voice_id ?? "", t) : this.#n = [e, t];
  }
  /** The call speaks with a voice that was learned in it. */
  learned() {
    this.#n = "learned";
  }
  /** Whether the voice cannot be asked for again: it was learned in the call that is lost. */
  get losesVoice() {
    return this.#n === "learned";
  }
  /** What to send so that a new session speaks like the lost one. */
  replay() {
    const e = [];
    Object.keys(this.#e).length > 0 && e.push(["controls.set", this.#e]), Object.keys(this.#t).length > 0 && e.push(["session.configure", this.#t]);
    for (const t of this.#s.values()) e.push(["lexicon.set", t]);
    return this.#n !== null && this.#n !== "learned" && e.push(this.#n), e;
  }
}
const P = -120;
function ce(n) {
  let e = 0;
  for (const t of n) e += t * t;
  return Math.max(P, 10 * Math.log10(e / Math.max(1, n.length) + 1e-12));
}
class he {
  #e;
  #t;
  #s;
  /** `window` samples, a power of two, are looked at: 1024 are 21 ms at 48 kHz. */
  constructor(e, t = 1024) {
    this.#e = e, this.#t = e.context.createAnalyser(), this.#t.fftSize = t, this.#s = new Float32Array(t), e.connect(this.#t);
  }
  /** The last samples; the array is used again by the next call. */
  samples() {
    return this.#t.getFloatTimeDomainData(this.#s), this.#s;
  }
  /** Level of the last samples, in dB relative to full scale. */
  dbfs() {
    return ce(this.samples());
  }
  /** Stop listening. */
  close() {
    this.#e.disconnect(this.#t);
  }
}
const et = 2e3;
class tt {
  #e = null;
  #t = !1;
  /** Whether the microphone counts as silent. */
  get isSilent() {
    return this.#t;
  }
  /**
   * `isZero`: every sample since the look before was digital silence, which no open microphone gives.
   * `now` in ms. What has changed by that, if anything.
   */
  look(e, t) {
    if (!e) {
      const s = this.#t;
      return this.reset(), s ? "heard" : null;
    }
    return this.#e ??= t, this.#t || t - this.#e < et ? null : (this.#t = !0, "silent");
  }
  /** Forget what was seen, for another microphone. */
  reset() {
    this.#e = null, this.#t = !1;
  }
}
const st = 400, nt = 32768, it = {
  NotAllowedError: ["denied", "microphone.denied"],
  SecurityError: ["denied", "microphone.denied"],
  NotFoundError: ["missing", "microphone.missing"],
  OverconstrainedError: ["missing", "microphone.missing"],
  NotReadableError: ["busy", "microphone.busy"],
  AbortError: ["busy", "microphone.busy"]
};
class rt {
  #e;
  #t = new tt();
  #s = "off";
  #n = null;
  #r = !0;
  #i = null;
  #o = null;
  #a;
  #l = !1;
  #h = !1;
  #u = null;
  constructor(e) {
    this.#e = e;
  }
  get state() {
    return this.#s;
  }
  /** What is sent, or `null` in a call that only listens. */
  get track() {
    return this.#n;
  }
  /** Which one is in use; `null` where there is none. */
  get device() {
    const e = this.#n?.getSettings().deviceId ?? "";
    return this.#n === null ? null : { id: e, label: this.#n.label };
  }
  /** RMS level of the last 0.3 to 0.7 s, in dB relative to full scale; -120 is silence. */
  get dbfs() {
    return this.#o?.dbfs() ?? P;
  }
  /** Whether silence is sent in place of what is said. */
  get muted() {
    return this.#l;
  }
  set muted(e) {
    this.#l = e, this.#n && (this.#n.enabled = !e), this.#t.reset();
  }
  /**
   * Turn it on, or change to another device. Whether it is on then: where not, a notice tells why,
   * and the call goes on listening.
   */
  async start(e = this.#i) {
    if (this.#i = e, !navigator.mediaDevices?.getUserMedia) return this.#g("denied", "page.insecure");
    try {
      return await this.#d(await V(e), !0), this.#n !== null;
    } catch (t) {
      const [s, i] = it[t?.name] ?? ["busy", "microphone.busy"];
      return this.#g(s, i);
    }
  }
  /** Send a track of the application's own; it is never stopped here. */
  async use(e) {
    await this.#d(e, !1);
  }
  /** Turn it off. */
  async stop() {
    this.#k(), this.#c("off"), await this.#e.send(null);
  }
  /** Devices have come or gone: take the wanted one if it is back, any if there was none. */
  async devicesChanged() {
    if (["off", "denied"].includes(this.#s) || !this.#r) return;
    const { microphones: e } = await re();
    if (this.#s === "on") {
      if (!e.some(({ id: s }) => s === this.#i) || this.device?.id === this.#i) return;
    } else if (e.length === 0) return;
    await this.#_();
  }
  /** Let go of the device. */
  close() {
    this.#h = !0, this.#k(), this.#s = "off";
  }
  async #d(e, t) {
    if (this.#h) {
      t && e.stop();
      return;
    }
    this.#k(), this.#n = e, this.#r = t, e.enabled = !this.#l, e.addEventListener("ended", () => {
      e === this.#n && this.#y();
    }), this.#c("on"), this.#v(e), await this.#e.send(e);
  }
  #v(e) {
    const t = this.#e.context();
    if (t !== null) {
      try {
        this.#o = new he(t.createMediaStreamSource(new MediaStream([e])), nt);
      } catch {
        return;
      }
      this.#a = setInterval(() => this.#p(t, e), st);
    }
  }
  #p(e, t) {
    if (this.#l || e.state !== "running" && !t.muted) return this.#t.reset();
    const s = t.muted || !(this.#o?.samples().some((r) => r !== 0) ?? !0), i = this.#t.look(s, performance.now());
    i !== null && this.#e.notify(`microphone.${i}`);
  }
  async #y() {
    const e = this.#r;
    this.#k(), this.#c("lost"), (!e || !await this.#_()) && (await this.#e.send(null), this.#e.notify("microphone.lost"));
  }
  /** Once at a time, whatever tells first: the end of a track, or the devices that are there. */
  #_() {
    return this.#u ??= this.#m().finally(() => {
      this.#u = null;
    }), this.#u;
  }
  /** Quietly: what is missing was told of already. */
  async #m() {
    try {
      await this.#d(await V(this.#i), !0);
    } catch {
      return !1;
    }
    return this.#n === null ? !1 : (this.#e.notify("microphone.changed", this.#n.label), !0);
  }
  #g(e, t) {
    return this.#s !== "on" && this.#c(e), this.#e.notify(t), !1;
  }
  #c(e) {
    e !== this.#s && (this.#s = e, this.#e.changed(e));
  }
  #k() {
    clearInterval(this.#a), this.#t.reset(), this.#o?.close(), this.#o = null;
    const e = this.#n;
    this.#n = null, this.#r && e?.stop();
  }
}
async function V(n) {
  try {
    return await W(n);
  } catch (e) {
    const t = ["OverconstrainedError", "NotFoundError"].includes(e?.name);
    if (n === null || !t) throw e;
    return W(null);
  }
}
function ot(n, e) {
  return { code: n, message: m(n, void 0, e), fault: R(n), detail: e };
}
const at = 75e3;
class ct {
  #e = /* @__PURE__ */ new Map();
  #t = 0;
  /** Ask by `send`, which is given the id to ask under. Rejects with a `VoicePeerError`. */
  async ask(e) {
    this.#t += 1;
    const t = `r${this.#t}`, s = l(), i = setTimeout(() => this.#s(t)?.reject(new a("timeout")), at);
    this.#e.set(t, { answer: s, timer: i });
    try {
      e(t);
    } catch (r) {
      this.#s(t)?.reject(r);
    }
    return s.promise;
  }
  /** Take an answer or a refusal; whether somebody waited for it. */
  take({ id: e, kind: t, fields: s }) {
    const i = this.#s(e);
    return t === "answer" ? i?.resolve(s) : i?.reject(A(s)), i !== void 0;
  }
  /** Nothing that was asked so far is answered any more. */
  lost() {
    for (const e of [...this.#e.keys()]) this.#s(e)?.reject(new a("connection_lost"));
  }
  #s(e) {
    const t = this.#e.get(e);
    return clearTimeout(t?.timer), this.#e.delete(e), t?.answer;
  }
}
function A(n) {
  const { error: e, code: t, utterance_id: s } = n;
  return new a(typeof t == "string" ? t : "internal", {
    detail: typeof e == "string" ? e : "",
    utteranceId: typeof s == "string" ? s : void 0
  });
}
const ht = ["pointerdown", "keydown", "touchend"];
class lt {
  /** `null` where the browser has no Web Audio. */
  context;
  #e;
  #t = new AbortController();
  #s = [];
  #n = !1;
  #r = !1;
  /** Make it in a click or key press where there is one: then nothing is blocked. */
  constructor(e) {
    this.#e = e, this.context = ut();
    const { signal: t } = this.#t;
    this.context?.addEventListener("statechange", () => this.#i(), { signal: t }), document.addEventListener("visibilitychange", () => {
      !document.hidden && this.#r && this.resume();
    }, { signal: t });
    for (const s of ht)
      document.addEventListener(s, () => {
        this.#n && this.resume();
      }, { signal: t, capture: !0 });
  }
  /** Play an element's sound; from now on it matters whether that is allowed. */
  async play(e) {
    this.#s = [...this.#s.filter((t) => t !== e), e], this.#r = !0, await this.resume();
  }
  /** Try to play; by a click or key press on the page this happens by itself. Whether there is sound. */
  async resume() {
    this.context?.resume().catch(() => {
    });
    const t = (await Promise.allSettled(this.#s.map((s) => s.play()))).some((s) => s.status === "rejected" && s.reason?.name === "NotAllowedError");
    return this.#i(t);
  }
  /** Stop; the page may make another one. */
  close() {
    this.#t.abort();
    for (const e of this.#s) e.srcObject = null;
    this.#s = [], this.context?.close().catch(() => {
    });
  }
  #i(e = !1) {
    const t = this.context?.state ?? "running", s = e || t === "suspended" || t === "interrupted";
    return !this.#r || s === this.#n || (this.#n = s, this.#e(s ? t === "interrupted" ? "audio.interrupted" : "audio.blocked" : "audio.resumed")), !s;
  }
}
function ut() {
  const n = globalThis, e = n.AudioContext ?? n.webkitAudioContext;
  return e ? new e({ latencyHint: "interactive" }) : null;
}
const dt = -50, q = 2, H = 30;
function le(n, e, t) {
  const s = Math.max(1, Math.round(q * e / 1e3));
  let i = t ? H : 0;
  for (let r = 0; r + s <= n.length; r += s)
    if (ce(n.subarray(r, r + s)) <= dt) i += q;
    else {
      if (i >= H) return r;
      i = 0;
    }
  return -1;
}
function $(n, e) {
  return le(n, e, !0) < 0;
}
class ft {
  #e = 60;
  /** The service's word that a sound was sent came at `toldAt`, the sound at `heardAt` (ms). */
  measured(e, t) {
    const s = Math.min(1e3, Math.max(0, t - e));
    this.#e += 0.5 * (s - this.#e);
  }
  /** What to wait after the service's word, in ms. */
  get ms() {
    return this.#e;
  }
}
const O = 2e3;
function* mt(n) {
  const e = Array.from(n);
  for (let t = 0; t < e.length; t += O)
    yield e.slice(t, t + O).join("");
}
function pt(n) {
  return n.length <= O;
}
class gt {
  #e = 0;
  #t = 0;
  /** The offset of code point `point` in `text`, at most its length. */
  unitOf(e, t) {
    for (t < this.#e && (this.#e = this.#t = 0); this.#e < t && this.#t < e.length; )
      this.#t += e.codePointAt(this.#t) > 65535 ? 2 : 1, this.#e += 1;
    return this.#t;
  }
}
const wt = 20;
class vt {
  #e;
  #t = "";
  #s;
  constructor(e) {
    this.#e = e;
  }
  /** Take a text; an empty one is none. */
  push(e) {
    this.#t += e, !(this.#s !== void 0 || this.#t === "") && (this.#n(), this.#s = setTimeout(() => {
      this.#s = void 0, this.push("");
    }, wt));
  }
  /** Send what waits. */
  flush() {
    clearTimeout(this.#s), this.#s = void 0, this.#n();
  }
  #n() {
    const e = this.#t;
    this.#t = "", e !== "" && this.#e(e);
  }
}
class bt {
  id;
  /** When its first text was sent, by `performance.now()`. */
  sentAt;
  #e;
  #t = l();
  #s = l();
  #n = new ae();
  #r;
  #i = !1;
  constructor(e, t, s, i) {
    this.id = e, this.sentAt = i, this.#r = t, this.#e = s;
  }
  /** All of its text so far. */
  get text() {
    return this.#r;
  }
  /** When it begins to be heard; `null` if it ended before that. Never rejects. */
  get audible() {
    return this.#t.promise;
  }
  /** When it is over, however that came. Never rejects. */
  get finished() {
    return this.#s.promise;
  }
  /** Whether it is over. */
  get isOver() {
    return this.#i;
  }
  /** Its words, each when it begins to be heard here; ends with the utterance. */
  get words() {
    return this.#n;
  }
  /** More text of an utterance that was opened with `open`; spoken as soon as a clause is complete. */
  append(e) {
    return this.#r += e, this.#e.append(this, e), this;
  }
  /** Say what has been appended so far without waiting for the clause to end. */
  flush() {
    return this.#e.flush(this.id), this;
  }
  /** No more text comes. */
  end() {
    return this.#e.end(this.id), this;
  }
  /** Fall silent; harmless when it is over. */
  cancel() {
    this.#i || this.#e.cancel(this.id);
  }
  /** Say the rest of it differently. */
  set(e) {
    return this.#e.set(this.id, e);
  }
  // --- for the call ---
  /** @internal */
  becameAudible(e) {
    this.#t.resolve(e);
  }
  /** @internal */
  spoke(e) {
    this.#n.push(e);
  }
  /** @internal */
  ended(e) {
    this.#i || (this.#i = !0, this.#t.resolve(null), this.#n.close(), this.#s.resolve({ playedMs: 0, underruns: 0, error: null, ...e }));
  }
}
const yt = {
  voiceId: "voice_id",
  pitchSemitones: "pitch_semitones",
  emotionStrength: "emotion_strength"
};
function y(n) {
  const e = {};
  for (const [t, s] of Object.entries(n))
    s !== void 0 && (e[yt[t] ?? t] = s);
  return e;
}
const _t = 256e3, G = 40, kt = 800;
class Tt {
  #e;
  #t = /* @__PURE__ */ new Map();
  #s = new ft();
  #n = 0;
  #r = 0;
  #i;
  constructor(e) {
    this.#e = e;
  }
  /** All that are not over, in the order in which they were asked for. */
  get utterances() {
    return [...this.#t.values()].map(({ utterance: e }) => e);
  }
  /** Say a text that is known, or one that is still being written. Throws `not_connected`. */
  speak(e, t) {
    if (typeof e != "string") return this.#v(e, t);
    const s = this.#o(t, e), { id: i } = s.utterance;
    return pt(e) ? (s.opened = !0, this.#d(s, () => this.#e.send("utterance.speak", { ...y(t), utterance_id: i, text: e }))) : this.#d(s, () => {
      this.#h(s, e), this.#e.send("utterance.end", { utterance_id: i });
    }), s.utterance;
  }
  /** An utterance to `append` to; it exists for the service with its first text. */
  open(e) {
    return this.#o(e, "").utterance;
  }
  /** The connection is lost, and the service may have forgotten what it was told on it. */
  interrupted() {
    for (const e of this.#t.values()) e.doubtful = e.opened;
  }
  /** The connection is back, and of what the service was told this goes on. */
  restored(e) {
    for (const [t, s] of this.#t)
      s.doubtful && !e.includes(t) && this.#c(t, { how: "lost", error: new a("connection_lost") }), s.doubtful = !1;
    for (const t of e)
      this.#t.has(t) || (this.#o({}, "", t).opened = !0);
  }
  /** The call is over, and everything that it had to say with it. */
  close(e) {
    for (const t of [...this.#t.keys()]) this.#c(t, { how: "lost", error: e });
  }
  /** An error of the service about an utterance; whether it was one of these. */
  refused(e, t) {
    return this.#t.has(e) ? (this.#c(e, { how: "failed", error: t }), !0) : !1;
  }
  // --- what the service tells ---------------------------------------------------------------
  started({ utterance_id: e, latency_ms: t }) {
    const s = this.#t.get(e);
    s !== void 0 && (s.serviceMs = t, s.toldAt = performance.now(), s.heardAt !== null ? this.#g(s) : setTimeout(() => this.#g(s), s.alone ? kt : this.#s.ms));
  }
  word(e) {
    const t = this.#t.get(e.utterance_id);
    if (t === void 0) return;
    const { text: s } = t.utterance, i = t.offsets.unitOf(s, e.char_start), r = t.offsets.unitOf(s, e.char_end), o = { text: e.text, start: i, end: r, startMs: e.start_ms, endMs: e.end_ms };
    this.#y(() => {
      t.utterance.isOver || (t.utterance.spoke(o), this.#e.word(t.utterance, o));
    });
  }
  done({ utterance_id: e, audio_ms: t, underruns: s }) {
    this.#y(() => this.#c(e, { how: "done", playedMs: t, underruns: s }));
  }
  cancelled({ utterance_id: e, played_ms: t }) {
    this.#c(e, { how: "cancelled", playedMs: t });
  }
  failed({ utterance_id: e, code: t, message: s, played_ms: i }) {
    this.#c(e, { how: "failed", playedMs: i, error: new a(t, { detail: s, utteranceId: e }) });
  }
  // --- in -----------------------------------------------------------------------------------
  #o(e, t, s = this.#a()) {
    const i = new bt(s, t, this.#l(), performance.now()), r = this.#e.samples(), o = {
      utterance: i,
      delivery: e,
      opened: !1,
      doubtful: !1,
      offsets: new gt(),
      alone: r !== null && this.#t.size === 0,
      quiet: r !== null && $(r.samples, r.rateHz),
      heardAt: null,
      toldAt: null,
      serviceMs: null,
      audible: !1
    };
    return this.#t.set(s, o), o.alone && this.#_(o), o;
  }
  #a() {
    return this.#n += 1, `u${this.#n}-${ne().slice(0, 8)}`;
  }
  #l() {
    return {
      append: (e, t) => {
        const s = this.#t.get(e.id);
        s !== void 0 && this.#h(s, t);
      },
      flush: (e) => {
        this.#t.get(e)?.opened && this.#e.send("utterance.flush", { utterance_id: e });
      },
      end: (e) => this.#u(e),
      cancel: (e) => {
        this.#t.get(e)?.opened ? this.#e.send("utterance.cancel", { utterance_id: e }) : this.#c(e, { how: "cancelled" });
      },
      set: (e, t) => this.#e.set(e, t)
    };
  }
  #h(e, t) {
    for (const s of mt(t)) {
      const i = e.opened ? {} : y(e.delivery);
      this.#e.send("utterance.append", { ...i, utterance_id: e.utterance.id, text: s }), e.opened = !0;
    }
  }
  #u(e) {
    const t = this.#t.get(e);
    t !== void 0 && (t.opened ? this.#e.send("utterance.end", { utterance_id: e }) : this.#c(e, { how: "done" }));
  }
  #d(e, t) {
    try {
      t();
    } catch (s) {
      throw this.#c(e.utterance.id, { how: "failed", error: s }), s;
    }
  }
  #v(e, t) {
    const s = this.open(t);
    return this.#p(s, e), s;
  }
  async #p(e, t) {
    const s = new vt((i) => {
      e.isOver || e.append(i);
    });
    try {
      for await (const i of t) {
        for (; this.#e.bufferedBytes() > _t && !e.isOver; ) await b(G);
        if (e.isOver) break;
        s.push(i);
      }
      s.flush(), e.end();
    } catch (i) {
      const r = i instanceof a ? i : new a("text_stream_failed", { cause: i });
      this.#c(e.id, { how: "failed", error: r }, () => e.cancel());
    }
  }
  // --- by ear -------------------------------------------------------------------------------
  /** Later by as much as sound is later than messages; what was told first happens first. */
  #y(e) {
    const t = performance.now();
    this.#r = Math.max(this.#r, t + this.#s.ms), setTimeout(e, this.#r - t);
  }
  #_(e) {
    clearInterval(this.#i), this.#i = setInterval(() => {
      const t = this.#e.samples();
      if (t === null) return;
      const { samples: s, rateHz: i } = t, r = le(s, i, e.quiet);
      e.quiet ||= $(s, i);
      const o = performance.now() - 1e3 * (s.length - r) / i;
      r < 0 || o < e.utterance.sentAt || (e.heardAt = o, this.#m(e), e.toldAt !== null && this.#g(e));
    }, G);
  }
  #m(e) {
    e.alone && clearInterval(this.#i), e.alone = !1;
  }
  /** The service has told of its sound; that was heard, or nothing could be made out. */
  #g(e) {
    const { utterance: t, toldAt: s, heardAt: i } = e;
    if (e.audible || t.isOver || s === null) return;
    e.audible = !0, this.#m(e);
    const r = i !== null;
    r && this.#s.measured(s, i);
    const c = { latencyMs: (i ?? s + this.#s.ms) - t.sentAt, serviceMs: e.serviceMs, measured: r };
    t.becameAudible(c), this.#e.audible(t, c);
  }
  #c(e, t, s) {
    const i = this.#t.get(e);
    if (i === void 0) return;
    try {
      s?.();
    } catch {
    }
    this.#t.delete(e), this.#m(i);
    const { utterance: r } = i;
    r.ended(t), r.finished.then((o) => this.#e.finished(r, o));
  }
}
const St = 8192;
class Et {
  /**
   * The voice as a track for any conference: the same one for the whole call, over all reconnections.
   * `null` where the browser has no Web Audio; then use `remoteTrack`.
   */
  track;
  #e;
  #t;
  #s;
  #n;
  #r = null;
  #i = null;
  #o = null;
  /** `audible`: whether it is played here, too, by `player` or by an element of its own. */
  constructor(e, t, s, i) {
    this.#e = e, this.#t = s, this.#s = e.context?.createMediaStreamDestination() ?? null, this.track = this.#s?.stream.getAudioTracks()[0] ?? null, this.#n = i ?? document.createElement("audio"), this.#n.muted = !t;
  }
  /** The track as it comes over the connection: another one after each reconnection. */
  get remoteTrack() {
    return this.#o;
  }
  /** RMS level of the last 0.2 s, in dB relative to full scale; -120 is silence. */
  get dbfs() {
    return this.#i?.dbfs() ?? P;
  }
  /** The last 0.2 s, for measuring; `null` before there is a connection or while sound is blocked. */
  samples() {
    const e = this.#e.context;
    return this.#i === null || e?.state !== "running" ? null : { samples: this.#i.samples(), rateHz: e.sampleRate };
  }
  /** Whether it is silent here; the tracks sound all the same. */
  get muted() {
    return this.#n.muted;
  }
  set muted(e) {
    this.#n.muted = e;
  }
  /** How loud it is played here, 0 to 1. */
  get volume() {
    return this.#n.volume;
  }
  set volume(e) {
    this.#n.volume = e;
  }
  /** Play through another output. Whether it does; where not, a notice tells why. */
  async setOutput(e) {
    if (!oe())
      return this.#t("output.fixed"), !1;
    try {
      await this.#n.setSinkId(e);
    } catch {
      return this.#t("output.missing"), !1;
    }
    return !0;
  }
  /** @internal A connection has brought this track. */
  take(e) {
    this.#a(), this.#o = e;
    const t = new MediaStream([e]);
    this.#n.srcObject = t;
    const { context: s } = this.#e;
    s !== null && this.#s !== null && (this.#r = s.createMediaStreamSource(t), this.#r.connect(this.#s), this.#i = new he(this.#r, St)), this.#e.play(this.#n);
  }
  /** @internal */
  close() {
    this.#a(), this.track?.stop();
  }
  #a() {
    this.#i?.close(), this.#r?.disconnect(), this.#i = this.#r = null;
  }
}
function Mt(n, e) {
  const t = d(n, "inbound-rtp", k), s = d(n, "outbound-rtp", k), i = d(n, "remote-inbound-rtp", k), r = It(n), o = (w, v) => j(w, e, v), c = o(t, "packetsReceived"), h = o(t, "packetsLost");
  return {
    rttMs: T(u(r, "currentRoundTripTime") ?? u(i, "roundTripTime")),
    lossPercent: J(h, Ot(c, h)),
    jitterMs: T(u(t, "jitter")),
    playoutDelayMs: T(U(o(t, "jitterBufferDelay"), o(t, "jitterBufferEmittedCount"))),
    concealedPercent: J(o(t, "concealedSamples"), o(t, "totalSamplesReceived")),
    receivedBps: z(t, e, "bytesReceived"),
    sentBps: z(s, e, "bytesSent"),
    sentLossPercent: _(u(i, "fractionLost"), 100),
    relayed: At(n, r)
  };
}
function xt(n) {
  const e = /* @__PURE__ */ new Map();
  return n.forEach((t, s) => e.set(s, t)), e;
}
function d(n, e, t) {
  for (const s of n.values()) if (s.type === e && t(s)) return s;
}
function k(n) {
  return (n.kind ?? n.mediaType) === "audio";
}
function It(n) {
  const e = d(n, "transport", () => !0)?.selectedCandidatePairId;
  return typeof e == "string" ? n.get(e) : d(n, "candidate-pair", (t) => t.selected === !0 || t.nominated === !0);
}
function At(n, e) {
  const t = n.get(String(e?.localCandidateId));
  return t === void 0 ? null : t.candidateType === "relay";
}
function u(n, e) {
  const t = n?.[e];
  return typeof t == "number" && Number.isFinite(t) ? t : null;
}
function j(n, e, t) {
  const s = u(n, t);
  if (s === null) return null;
  const i = u(e?.get(String(n?.id)), t) ?? 0;
  return s >= i ? s - i : s;
}
function z(n, e, t) {
  const s = e === null ? null : j(n, e, "timestamp"), i = j(n, e, t);
  return e?.has(String(n?.id)) ?? !1 ? _(U(i, s), 8e3) : null;
}
function Ot(n, e) {
  return n === null || e === null ? null : n + e;
}
function U(n, e) {
  return n === null || e === null || e <= 0 ? null : n / e;
}
function J(n, e) {
  return _(U(n, e), 100);
}
function T(n) {
  return _(n, 1e3);
}
function _(n, e) {
  return n === null ? null : n * e;
}
const jt = "application/octet-stream", Ct = 100;
class Lt {
  #e;
  #t;
  constructor(e, t) {
    this.#e = e, this.#t = t;
  }
  /** Own voices, the newest first, then those of the engine. */
  async list() {
    const e = [];
    for (let t = ""; ; ) {
      const s = `limit=${Ct}${t && `&after=${encodeURIComponent(t)}`}`, i = await this.#e.json("GET", `v1/audio/voices?${s}`, Rt);
      if (e.push(...i.data.map(E)), !i.has_more) return e;
      t = String(i.last_id);
    }
  }
  /** Speak with a voice from the next utterance on. */
  use(e) {
    return this.#t.use(e);
  }
  /** Speak with a mix: weights over 0 by id. */
  mix(e) {
    return this.#t.mix(e);
  }
  /** Keep the voice of this call after the call. */
  save(e) {
    return this.#t.save(e);
  }
  /** Give a voice another name. */
  async rename(e, t) {
    return E(await this.#e.json("POST", S(e), C, Xe({ name: t })));
  }
  /** The voice with its consent, as a file. Keep it like a secret. */
  async export(e) {
    return (await this.#e.request("GET", `${S(e)}/export`)).blob();
  }
  /** Take in a file that was exported; the voice has a new id. */
  async import(e) {
    const t = { body: e, headers: { "Content-Type": jt } };
    return E(await this.#e.json("POST", "v1/audio/voices/import", C, t));
  }
  /** Delete a voice, at once and everywhere: calls that speak with it fall silent. */
  async delete(e) {
    await this.#e.request("DELETE", S(e));
  }
  /** Withdraw a consent: all voices that were made under it are deleted with it; their ids. */
  async withdraw(e) {
    const t = `v1/audio/voice_consents/${encodeURIComponent(e)}`;
    return (await this.#e.json("DELETE", t, Nt)).voices_deleted ?? [];
  }
}
const C = {
  id: "string",
  created_at: "number",
  name: "string",
  type: "string",
  consent: "string|null?",
  quality: "number|null?",
  expires_at: "number|null?"
}, Rt = { data: "object[]", has_more: "boolean", last_id: "string|null?" }, Nt = { voices_deleted: "string[]?" };
function S(n) {
  return `v1/audio/voices/${encodeURIComponent(n)}`;
}
function E(n) {
  if (!L(C, n)) throw new a("bad_answer");
  const e = n;
  return {
    id: e.id,
    name: e.name,
    kind: e.type === "stock" ? "stock" : "own",
    createdAt: new Date(e.created_at * 1e3),
    consentId: e.consent ?? null,
    quality: e.quality ?? null,
    expiresAt: e.expires_at == null ? null : new Date(e.expires_at * 1e3)
  };
}
const Pt = 12e4, Ut = 5e3;
async function Dt(n, e, t) {
  const s = performance.now() + Pt;
  for (; ; ) {
    const i = await fetch(new URL("readyz", n), { cache: "no-store", signal: t }).catch(() => null);
    if (t.aborted) throw new a("client_left");
    if (i === null) throw new a("unreachable");
    if (i.ok) return;
    const { status: r, reason: o } = g(await i.text()) ?? {};
    if (r === "at_capacity") throw new a("at_capacity");
    if (performance.now() > s) throw new a("not_ready", { detail: String(o) });
    e(String(o ?? "")), await b(Math.min(Ut, 1e3 * (Number(i.headers.get("Retry-After")) || 2)));
  }
}
const Bt = {
  "voice.use": "voice.selected",
  "voice.mix": "voice.selected",
  "voice.save": "voice.saved",
  "session.configure": "session.configured",
  "lexicon.set": "lexicon.accepted",
  "stats.get": "stats"
};
class Vt extends se {
  /** The microphone of the call. */
  microphone;
  /** The voice that comes. */
  speech;
  /** Voices that outlive the call. */
  voices;
  #e;
  #t;
  #s;
  #n;
  #r;
  #i;
  #o = new ct();
  #a = new Ze();
  #l = new AbortController();
  #h = null;
  #u = null;
  /** Make it in a click or key press: browsers let only those pages sound. */
  constructor(e = {}) {
    super(), e.language !== void 0 && ye(e.language), this.#t = e.microphone ?? !0, this.#e = new URL(e.url ?? ".", document.baseURI), this.#s = Wt(e.token ?? null);
    const t = (s, i = "") => this.#b(s, i);
    this.#r = new lt(t), this.speech = new Et(this.#r, e.audible ?? !0, t, e.player), this.microphone = new rt({
      send: (s) => this.#n.replaceMicrophone(s),
      context: () => this.#r.context,
      notify: t,
      changed: (s) => this.emit("microphone", s)
    }), this.#n = this.#d(e), this.#i = this.#v(), this.voices = new Lt(new F(this.#e, this.#s), {
      use: async (s) => M(await this.#w("voice.use", { voice_id: s })),
      mix: async (s) => M(await this.#w("voice.mix", { weights: s })),
      save: (s) => this.#S(s)
    }), this.#_();
  }
  /** Where the call stands. */
  get state() {
    return this.#n.state;
  }
  /** Names the call in the service's log and its API; empty before there is one. */
  get sessionId() {
    return this.#n.sessionId;
  }
  /** The peer connection of the moment, for what is not done here; another one after each reconnection. */
  get peerConnection() {
    return this.#n.pc;
  }
  /**
   * Wait until the service takes calls, ask for the microphone, and connect. Without a microphone the
   * call only listens, and a notice tells why. Rejects with a `VoicePeerError`.
   */
  async connect() {
    if (this.state !== "idle") throw new a("call_over");
    if (typeof RTCPeerConnection > "u") throw new a("browser.unsupported");
    try {
      await Dt(this.#e, (s) => this.#b("service.starting", s), this.#l.signal), await this.#p();
      const { restored: e, ready: t } = await this.#n.open();
      return this.#i.restored(t.utterances ?? []), { restored: e, voiceLost: !1 };
    } catch (e) {
      throw this.detach(), e;
    }
  }
  /** Hang up; harmless when it is over already. */
  close() {
    this.#n.close(), this.#E();
  }
  /** Let go of the call without ending it: another page, or this one after a reload, can `resume` it. */
  detach() {
    this.#n.detach(), this.#E();
  }
  // --- a voice ------------------------------------------------------------------------------
  /** Let the service learn the voice of the microphone, whose speaker agrees to that. */
  enrol(e) {
    const { consentVersion: t, consentId: s, consent: i, name: r } = e, o = {
      ...i !== void 0 && { consent: i },
      ...r !== void 0 && { name: r },
      ...s !== void 0 && { consent_id: s },
      ...t !== void 0 && { consent_version: t }
    }, c = new Je(() => void this.#f("enrol.stop", {}).catch(() => {
    }));
    return this.#h?.enrolment.fail(new a("enrolment_stopped")), this.#h = { enrolment: c, fields: o }, this.#f("enrol.start", o).catch((h) => c.fail(h)), c;
  }
  // --- a text -------------------------------------------------------------------------------
  /** Say a text in the voice of the call: a whole one, or one that is still being written. */
  speak(e, t = {}) {
    return this.#i.speak(e, t);
  }
  /** An utterance whose text is appended bit by bit. */
  open(e = {}) {
    return this.#i.open(e);
  }
  /** All that waits or is being said. */
  get utterances() {
    return this.#i.utterances;
  }
  /** Fall silent, and say nothing of what waits. */
  cancel() {
    this.#n.send("utterance.cancel", {});
  }
  /** Speak differently from now on. */
  async control(e) {
    await this.#w("controls.set", y(e));
  }
  /** Say words in another way: a spelling, or IPA between slashes. */
  async setLexicon(e, t) {
    await this.#w("lexicon.set", { words: e, ...t !== void 0 && { voice_id: t } });
  }
  /** Settings of the session, such as `{ barge_in: true }`: whether speech interrupts ours. */
  async configure(e) {
    await this.#w("session.configure", e);
  }
  // --- the rest -----------------------------------------------------------------------------
  /** What the connection has been like since the last time that this was asked. */
  async stats() {
    const e = await this.#n.pc?.getStats();
    if (e === void 0) return null;
    const t = xt(e), s = this.#u;
    return this.#u = t, Mt(t, s);
  }
  /** The service's own counters of the session. */
  async serviceStats() {
    return await this.#f("stats.get", {});
  }
  /** Microphones and outputs. */
  devices() {
    return re();
  }
  /** ICE servers for connections of the application's own. */
  async iceServers() {
    const { ice_servers: e } = await new F(this.#e, this.#s).json("GET", "v1/realtime/ice-servers", { ice_servers: "object[]" });
    return e;
  }
  /** Try again to play what the browser has blocked; clicks and keys do so by themselves. Whether there is sound. */
  resumeAudio() {
    return this.#r.resume();
  }
  /** Send any message of docs/wire.md, for what has no method here; gives what it is answered with. */
  request(e, t) {
    return this.#f(e, t);
  }
  // --- inside -------------------------------------------------------------------------------
  #d({ room: e = "default", name: t = "", rtc: s = {}, resume: i }) {
    return new $e({
      url: this.#e,
      token: this.#s,
      room: e,
      name: t,
      rtc: s,
      resume: i ?? null,
      microphone: () => this.microphone.track
    });
  }
  #v() {
    return new Tt({
      send: (e, t) => this.#n.send(e, t),
      bufferedBytes: () => this.#n.bufferedBytes,
      set: async (e, t) => {
        await this.#f("controls.set", { ...y(t), utterance_id: e });
      },
      samples: () => this.speech.samples(),
      audible: (e, t) => this.emit("audible", { utterance: e, audible: t }),
      word: (e, t) => this.emit("word", { utterance: e, word: t }),
      finished: (e, t) => this.emit("finished", { utterance: e, end: t })
    });
  }
  async #p() {
    if (this.#t === !1) return;
    typeof this.#t == "object" ? await this.microphone.use(this.#t) : await this.microphone.start(this.#t === !0 ? null : this.#t);
    const { signal: e } = this.#l;
    navigator.mediaDevices?.addEventListener("devicechange", () => void this.microphone.devicesChanged(), { signal: e }), this.#y(e);
  }
  /** When the microphone is allowed after all, take it. */
  #y(e) {
    navigator.permissions?.query({ name: "microphone" }).then((s) => {
      s.addEventListener("change", () => {
        s.state === "granted" && this.microphone.state === "denied" && this.microphone.start();
      }, { signal: e });
    }).catch(() => {
    });
  }
  #_() {
    this.#n.on("state", (e) => {
      e === "interrupted" && this.#b("connection.lost"), this.emit("state", e);
    }), this.#n.on("track", (e) => {
      this.speech.take(e), this.emit("track", e);
    }), this.#n.on("resumption", (e) => this.emit("resumption", e)), this.#n.on("message", (e) => this.#m(e)), this.#n.on("broken", () => this.emit("error", new a("bad_answer"))), this.#n.on("refused", (e) => this.emit("error", e)), this.#n.on("lost", () => {
      this.#o.lost(), this.#i.interrupted();
    }), this.#n.on("reconnected", (e) => this.#k(e)), this.#n.on("ended", (e) => {
      this.#E(), this.emit("closed", { reason: e, message: m(e), fault: R(e) });
    });
  }
  #m(e) {
    const { kind: t, name: s, fields: i } = e;
    t !== "event" ? !this.#o.take(e) && t === "refusal" && this.#g(A(i)) : s === "error" ? this.#g(A(i)) : s !== "pong" && (this.#c(s, i), this.emit(s, i));
  }
  #g(e) {
    e.utteranceId !== void 0 && this.#i.refused(e.utteranceId, e) || this.emit("error", e);
  }
  /** Let the handles of what goes on know. */
  #c(e, t) {
    const s = this.#h?.enrolment;
    switch (e) {
      case "utterance.started":
        return this.#i.started(t);
      case "utterance.word":
        return this.#i.word(t);
      case "utterance.done":
        return this.#i.done(t);
      case "utterance.cancelled":
        return this.#i.cancelled(t);
      case "utterance.failed":
        return this.#i.failed(t);
      case "voice.progress":
        return s?.progressed(t);
      case "voice.usable":
        return this.#a.learned(), s?.becameUsable(t);
      case "voice.ready":
        return this.#a.learned(), s?.becameReady(t);
      case "voice.rejected":
        return s?.fail(new a("voice_rejected", { detail: t.message }));
    }
  }
  #k({ restored: e, ready: t }) {
    const s = !e && this.#a.losesVoice;
    if (e) this.#i.restored(t.utterances ?? []);
    else {
      this.#i.restored([]);
      for (const [i, r] of this.#a.replay()) this.#f(i, r).catch(() => {
      });
    }
    this.#T(e), this.#b(e ? "connection.back" : "connection.new"), this.emit("reconnected", { restored: e, voiceLost: s });
  }
  /** What was being learned is lost with a connection; a voice that was usable stays as it was. */
  #T(e) {
    if (this.#h === null || this.#h.enrolment.isOver) return;
    const { enrolment: t, fields: s } = this.#h;
    e && t.settle() || this.#f("enrol.start", s).catch((i) => t.fail(i));
  }
  async #S(e) {
    const t = M(await this.#f("voice.save", { name: e }));
    return this.#a.losesVoice && this.#a.asked("voice.use", { voice_id: t.voiceId }), t;
  }
  async #w(e, t) {
    const s = await this.#f(e, t);
    return this.#a.asked(e, t), s;
  }
  async #f(e, t) {
    const s = await this.#o.ask((r) => this.#n.send(e, t, r)), i = Bt[e];
    if (i === void 0) return s;
    if (X(i, s) !== "fits") throw new a("bad_answer", { detail: e });
    return this.emit(i, s), s;
  }
  #b(e, t = "") {
    const s = ot(e, t);
    this.emit(e, s), this.emit("notice", s);
  }
  #E() {
    this.#l.abort();
    const e = new a("connection_lost");
    this.#o.lost(), this.#i.close(e), this.#h?.enrolment.fail(e), this.microphone.close(), this.speech.close(), this.#r.close();
  }
}
function Wt(n) {
  return async () => {
    try {
      return typeof n == "function" ? await n() : n;
    } catch (e) {
      throw p(e, "token_failed");
    }
  };
}
function M(n) {
  return { voiceId: String(n.voice_id), name: String(n.name) };
}
export {
  Ft as CODES,
  he as LevelMeter,
  ze as RAW_VOICE,
  P as SILENCE_DBFS,
  Vt as VoicePeer,
  a as VoicePeerError,
  oe as canChooseOutput,
  _e as currentLanguage,
  R as faultOf,
  re as listDevices,
  ye as setLanguage,
  m as textOf
};
