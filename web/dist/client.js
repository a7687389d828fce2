const C = {
  // Refusals of the service.
  unauthorized: ["user", "This service needs a valid access key. Enter it and try again.", "此服务需要有效的访问密钥。请输入密钥后重试。"],
  token_refused: ["service", "The service does not take the access token that this page was given: {detail}", "服务不接受此页面获得的访问令牌：{detail}"],
  token_expired: ["user", "The access token has expired. Get a new one and try again.", "访问令牌已过期。请获取新令牌后重试。"],
  forbidden: ["user", "Your access key does not allow this. Ask whoever gave it to you.", "您的访问密钥没有此权限。请联系密钥的提供者。"],
  origin_not_allowed: ["service", "This page may not use the service: its operator has to allow the page's address.", "此页面不能使用该服务：需要服务管理员允许本页面的地址。"],
  rate_limited: ["user", "That was too much at once. Wait a minute, then try again.", "请求过于频繁。请稍等一分钟后重试。"],
  at_capacity: ["service", "All places are taken at the moment. Try again in a minute.", "目前名额已满。请一分钟后重试。"],
  room_full: ["service", "This room is full at the moment. Try again in a minute.", "此房间目前已满。请一分钟后重试。"],
  not_ready: ["service", "The service is getting ready. Try again in a moment.", "服务正在准备中。请稍后重试。"],
  shutting_down: ["service", "The service is being restarted. Try again in a minute.", "服务正在重启。请一分钟后重试。"],
  protocol_unsupported: ["user", "This page is older or newer than the service. Reload it.", "此页面与服务的版本不匹配。请刷新页面。"],
  controls_rejected: ["user", "It cannot be spoken like this: {detail}", "无法以此方式朗读：{detail}"],
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
  no_service: ["service", "There is no VoicePeer service at this address: {detail}", "此地址没有 VoicePeer 服务：{detail}"],
  no_connection: ["network", "No media connection came about. A firewall may block it: ask for a TURN server.", "无法建立媒体连接，可能被防火墙阻止。请联系管理员配置 TURN 服务器。"],
  connection_lost: ["network", "The connection was lost.", "连接已断开。"],
  not_connected: ["network", "There is no connection to the service. Start the call first.", "尚未连接到服务。请先开始通话。"],
  misuse: ["page", "This page has a mistake in its program. {detail}", "此页面的程序有误。{detail}"],
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
}, Ee = {
  rate_limit_exceeded: "rate_limited",
  invalid_api_key: "unauthorized",
  invalid_token: "token_refused"
}, yn = Object.keys(C);
let ae = null;
function Me(s) {
  ae = s;
}
function Ie() {
  const s = globalThis.navigator?.language?.toLowerCase() ?? "";
  return ae ?? (s.startsWith("zh") ? "zh" : "en");
}
function k(s, e = Ie(), t = "") {
  const n = he(s);
  return n === void 0 ? t || `${k("internal", e)} (${s})` : n[e === "zh" ? 2 : 1].replace("{detail}", () => t);
}
function ce(s) {
  return he(s)?.[0] ?? "service";
}
function he(s) {
  const e = Ee[s] ?? s;
  return Object.hasOwn(C, e) ? C[e] : void 0;
}
class a extends Error {
  name = "VoicePeerError";
  code;
  /** Whose it is to change something. */
  fault;
  detail;
  utteranceId;
  constructor(e, t = {}) {
    const n = t.detail ?? "";
    super(k(e, void 0, n), "cause" in t ? { cause: t.cause } : void 0), this.code = e, this.detail = n, this.fault = ce(e), this.utteranceId = t.utteranceId;
  }
  /** The message in another language than that of `setLanguage`. */
  in(e) {
    return k(this.code, e, this.detail);
  }
}
function p(s, e = "internal") {
  if (s instanceof a) return s;
  const t = s instanceof Error ? s.message : String(s);
  return new a(e, { detail: t, cause: s });
}
const ue = "rtvi-ai", xe = "2.1.0", Oe = {
  joined: { session_id: "string", ice_servers: "object[]", resumed: "boolean?", resume_token: "string|null?", restored: "boolean?" },
  answer: { sdp: "string", connection: "string?" },
  candidate: { candidate: "string|null?", sdpMid: "string|null?", sdpMLineIndex: "number|null?", connection: "string?" },
  pong: {},
  bye: { reason: "string" },
  error: { code: "string", message: "string", fatal: "boolean?" }
}, Ae = {
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
function le(s, e) {
  return de(Ae, s, e);
}
function je(s, e) {
  return de(Oe, s, e);
}
function de(s, e, t) {
  const n = Object.hasOwn(s, e) ? s[e] : void 0;
  return n === void 0 ? "unknown" : B(n, t) ? "fits" : "broken";
}
function B(s, e) {
  return Object.entries(s).every(([t, n]) => Ce(n, e, t));
}
function Ce(s, e, t) {
  const n = s.endsWith("?");
  return Object.hasOwn(e, t) ? (n ? s.slice(0, -1) : s).split("|").some((i) => fe(i, e[t])) : n;
}
function fe(s, e) {
  if (s.endsWith("[]")) return Array.isArray(e) && e.every((t) => fe(s.slice(0, -2), t));
  switch (s) {
    case "null":
      return e === null;
    case "object":
      return l(e) !== null;
    case "number":
      return typeof e == "number" && Number.isFinite(e);
    default:
      return typeof e === s;
  }
}
function l(s) {
  return typeof s == "object" && s !== null && !Array.isArray(s) ? s : null;
}
function b(s) {
  if (typeof s != "string") return null;
  try {
    return l(JSON.parse(s));
  } catch {
    return null;
  }
}
const L = {
  speed: "number",
  pitchSemitones: "number",
  energy: "number",
  volume: "number",
  pauses: "number",
  emotion: "string",
  emotionStrength: "number"
}, q = {
  ...L,
  language: "string",
  voiceId: "string",
  priority: "integer",
  ssml: "boolean",
  visemes: "boolean",
  captions: "boolean",
  interrupt: "boolean"
}, Le = {
  consent: "string",
  consentVersion: "integer",
  consentId: "string",
  name: "string"
};
function u(s, e) {
  return new a("misuse", { detail: `${s}: ${e}` });
}
function W(s, e, t = "the text") {
  if (typeof e != "string") throw u(s, `${t} has to be a string, not ${y(e)}`);
}
function f(s, e, t = "the text") {
  if (W(s, e, t), e.trim() === "") throw u(s, `${t} is empty`);
}
function w(s, e, t) {
  const n = l(e);
  if (n === null) throw u(s, `settings are an object, not ${y(e)}`);
  for (const [i, r] of Object.entries(n)) {
    const o = Object.hasOwn(t, i) ? t[i] : void 0;
    if (o === void 0) throw u(s, `there is no "${i}", only ${Object.keys(t).join(", ")}`);
    if (r !== void 0 && !pe(o, r)) throw u(s, `"${i}" has to be of type ${o}, not ${y(r)}`);
  }
  return n;
}
function Re(s, e) {
  const { consent: t, consentId: n } = w(s, e ?? {}, Le);
  if (G(t) && G(n))
    throw u(s, 'the speaker has to agree: give their statement as "consent", or "consentId" of one on record');
}
function me(s, e, t, n) {
  const i = l(e);
  if (i === null || !Object.values(i).every((r) => pe(t, r)))
    throw u(s, `${n} are an object with values of type ${t}`);
}
function Ne(s) {
  return typeof s == "object" && s !== null && Symbol.asyncIterator in s;
}
function y(s) {
  return s == null || typeof s == "number" ? String(s) : Array.isArray(s) ? "a list" : `of type ${typeof s}`;
}
function G(s) {
  return s === void 0 || String(s).trim() === "";
}
function pe(s, e) {
  return s === "integer" ? Number.isInteger(e) : s === "number" ? Number.isFinite(e) : typeof e === s;
}
const Pe = { "http:": "http:", "https:": "https:", "ws:": "http:", "wss:": "https:" };
function $e(s, e) {
  const t = s instanceof URL ? s.href : s, n = typeof t == "string" ? De(t, e) : null, i = Pe[n?.protocol ?? ""];
  if (n === null || i === void 0)
    throw u("new VoicePeer", '"url" has to be the address of the service, of http or https');
  const r = new URL(`${i}${n.href.slice(n.protocol.length)}`);
  return r.search = r.hash = "", r.pathname.endsWith("/") || (r.pathname += "/"), r;
}
function De(s, e) {
  try {
    return new URL(s, e);
  } catch {
    return null;
  }
}
const Ue = 600, Be = 5e3;
class z {
  #e;
  #t;
  #n = Ue;
  /** Until `budgetMs` after `now` (ms); `random` gives 0 to under 1. */
  constructor(e, t, n = Math.random) {
    this.#e = e + t, this.#t = n;
  }
  /** How long to wait before the next attempt, in ms; `null` when it is time to give up. */
  next(e) {
    if (e >= this.#e) return null;
    const t = this.#n * (0.5 + 0.5 * this.#t());
    return this.#n = Math.min(Be, 2 * this.#n), t;
  }
}
function d() {
  let s;
  const e = new Promise((t, n) => {
    s = { resolve: t, reject: n };
  });
  return e.catch(() => {
  }), { promise: e, ...s };
}
function E(s, e, t) {
  let n;
  const i = new Promise((r, o) => {
    n = setTimeout(() => o(t()), e);
  });
  return Promise.race([s, i]).finally(() => clearTimeout(n));
}
function T(s) {
  return new Promise((e) => {
    setTimeout(e, s);
  });
}
const We = /* @__PURE__ */ new Set(
  ["client-ready", "send-text", "disconnect-bot"]
), Fe = {
  "server-response": "answer",
  "error-response": "refusal"
};
function R(s, e, t = "") {
  const n = We.has(s);
  return JSON.stringify({
    label: ue,
    type: n ? s : "client-message",
    id: t,
    data: n ? e : { t: s, d: e }
  });
}
function Ve(s) {
  const e = b(s);
  if (e === null || e.label !== ue) return null;
  const { type: t, id: n } = e, i = l(e.data ?? {});
  if (typeof t != "string" || i === null) return "broken";
  const r = Fe[t] ?? "event", o = t === "server-message" || r === "answer", c = o ? i.t : t, h = o ? l(i.d ?? {}) : i;
  if (typeof c != "string" || h === null) return "broken";
  const v = { kind: r, name: c, id: typeof n == "string" ? n : "", fields: h };
  if (r === "answer") return v;
  const _ = le(c, h);
  return _ === "fits" ? v : _ === "unknown" ? null : "broken";
}
class ge {
  #e = /* @__PURE__ */ new Map();
  /** Call `listener` at every event of this name, until the function that is returned is called. */
  on(e, t) {
    const n = this.#e.get(e) ?? /* @__PURE__ */ new Set();
    return this.#e.set(e, n), n.add(t), () => void n.delete(t);
  }
  /** The next event of this name. */
  once(e) {
    return new Promise((t) => {
      const n = this.on(e, (i) => {
        n(), t(i);
      });
    });
  }
  /** Tell all listeners. One that throws is reported like any uncaught error; the others go on. */
  emit(e, t) {
    for (const n of [...this.#e.get(e) ?? []])
      try {
        n(t);
      } catch (i) {
        He(i);
      }
  }
}
function He(s) {
  typeof reportError == "function" ? reportError(s) : setTimeout(() => {
    throw s;
  }, 0);
}
function we() {
  const s = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(s, (e) => e.toString(16).padStart(2, "0")).join("");
}
const qe = {
  idle: { connect: "connecting", ended: "closed" },
  connecting: { established: "connected", lost: "closed", ended: "closed" },
  connected: { media_stopped: "shaky", lost: "rejoining", ended: "closed" },
  shaky: { media_flows: "connected", lost: "rejoining", ended: "closed" },
  rejoining: { established: "connected", ended: "closed" },
  closed: {}
}, Ge = {
  idle: "idle",
  connecting: "connecting",
  connected: "connected",
  shaky: "interrupted",
  rejoining: "interrupted",
  closed: "closed"
}, ze = /* @__PURE__ */ new Set([
  "channel_closed",
  "client_vanished",
  "connection_lost",
  "signaling_lost",
  "shutting_down"
]);
function Ke(s, e) {
  return qe[s][e] ?? s;
}
function Ye(s) {
  return Ge[s];
}
function Je(s) {
  return ze.has(s);
}
const Xe = 1e4, Qe = 4e3;
class Ze {
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
    return e - this.#t > Qe && (this.#e = e), this.#t = e, e - this.#e > Xe;
  }
}
const et = 15e3, tt = 1e3;
class nt {
  pc;
  #e;
  #t;
  #n;
  #s = d();
  #r = d();
  #i;
  #o = !1;
  /** Nothing happens before `connect`. */
  constructor(e) {
    this.#n = e, this.pc = new RTCPeerConnection({ bundlePolicy: "max-bundle", ...e.rtc });
    const t = this.pc.addTransceiver(e.microphone ?? "audio", { direction: "sendrecv" });
    this.#t = t.sender, this.#e = this.pc.createDataChannel("rtvi", { ordered: !0 }), this.#h();
  }
  /** Offer, and wait until messages can be sent; rejects with a `VoicePeerError`. */
  async connect() {
    const e = () => new a("no_connection");
    return E(this.#a(), et, e);
  }
  /** Take what the service says on the socket about this link. */
  signal(e) {
    "connection" in e && e.connection === "room" || (e.type === "answer" ? this.#s.resolve(e.sdp) : e.type === "candidate" ? this.#u(e) : e.type === "error" ? this.fail(new a(e.code, { detail: e.message })) : e.type === "bye" && this.fail(new a(e.reason)));
  }
  /** Stop waiting for the connection to come about; nothing once it has. */
  fail(e) {
    this.#s.reject(e), this.#r.reject(e);
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
    return this.#n.send({ type: "offer", sdp: e.sdp ?? "" }), await this.pc.setLocalDescription(e), await this.pc.setRemoteDescription({ type: "answer", sdp: await this.#s.promise }), this.#r.promise;
  }
  #u({ candidate: e, sdpMid: t, sdpMLineIndex: n }) {
    this.#s.promise.then(() => this.pc.addIceCandidate(
      { candidate: e ?? "", sdpMid: t ?? null, sdpMLineIndex: n ?? null }
    )).catch(() => {
    });
  }
  #h() {
    this.pc.addEventListener("track", ({ track: e }) => {
      this.#o || this.#n.listener.track(e);
    }), this.pc.addEventListener("icecandidate", ({ candidate: e }) => this.#n.send({ type: "candidate", ...e?.toJSON() })), this.pc.addEventListener("connectionstatechange", () => this.#g()), this.#e.addEventListener("open", () => this.#d()), this.#e.addEventListener("message", ({ data: e }) => this.#f(e)), this.#e.addEventListener("close", () => this.#p("channel_closed"));
  }
  #d() {
    const e = { library: "@voicepeer/client", platform: "browser" };
    this.send(R("client-ready", { version: xe, about: e, rtvi_events: !1 }));
    const t = new Ze(performance.now());
    this.#e.addEventListener("message", () => t.heard(performance.now())), this.#i = setInterval(() => {
      this.send(R("ping", { sent_ms: performance.now() })), t.lost(performance.now()) && this.#p("connection_lost");
    }, tt);
  }
  #f(e) {
    const t = Ve(e);
    if (!(t === null || this.#o)) {
      if (t === "broken") return this.#n.listener.broken();
      t.name === "bot-ready" && this.#r.resolve(t.fields), this.#n.listener.message(t);
    }
  }
  #g() {
    if (this.#o) return;
    const e = this.pc.connectionState;
    e === "failed" || e === "closed" ? this.#p("connection_lost") : (e === "disconnected" || e === "connected") && this.#n.listener.flows(e === "connected");
  }
  #p(e) {
    this.#o || (this.close(), this.#n.listener.lost(e));
  }
}
const st = 1e4, it = 15e3, rt = 3e3;
class F {
  #e;
  #t;
  #n;
  #s = !1;
  constructor(e, t) {
    this.#e = e, this.#t = t, e.addEventListener("close", () => this.#o());
  }
  /**
   * Open a socket and join.
   *
   * Rejects with a `VoicePeerError`: `unreachable`, or the code with which the service refuses.
   */
  static async join(e, t, n) {
    const i = new WebSocket(e), r = () => new a("unreachable");
    try {
      const o = await E(ot(i, t), st, r);
      return [new F(i, n).#i(), o];
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
    this.#r(rt);
  }
  #r(e) {
    this.#s || (this.#s = !0, clearInterval(this.#n), this.#e.close(e));
  }
  #i() {
    return this.#n = setInterval(() => this.send({ type: "ping" }), it), this.#e.addEventListener("message", ({ data: e }) => {
      const t = ye(e);
      t !== null && !this.#s && this.#t.signal(t);
    }), this;
  }
  #o() {
    clearInterval(this.#n), this.#s || this.#t.gone();
  }
}
function ye(s) {
  const e = b(s), t = e?.type;
  return e === null || typeof t != "string" || je(t, e) !== "fits" ? null : e;
}
function ot(s, e) {
  return new Promise((t, n) => {
    s.addEventListener("open", () => s.send(JSON.stringify(e)), { once: !0 });
    for (const i of ["error", "close"])
      s.addEventListener(i, () => n(new a("unreachable")), { once: !0 });
    s.addEventListener("message", ({ data: i }) => {
      const r = ye(i);
      r?.type === "joined" ? t(r) : r?.type === "error" ? n(new a(r.code, { detail: r.message })) : r?.type === "bye" ? n(new a(r.reason)) : n(new a("unreachable"));
    }, { once: !0 });
  });
}
const at = 6e4, ct = 4e3, ht = 5e3, ut = 5, lt = 200, dt = /* @__PURE__ */ new Set([
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
class ft extends ge {
  #e;
  #t;
  #n = "idle";
  #s = null;
  #r = null;
  #i;
  #o = "";
  #a = [];
  /** The session was lost for good since there was a connection. */
  #u = !1;
  #h = 0;
  #d = 0;
  constructor(e) {
    super(), this.#e = e, this.#t = e.resume?.clientId ?? we(), this.#i = e.resume?.token ?? null;
  }
  get state() {
    return Ye(this.#n);
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
    if (this.#n !== "idle") throw new a("call_over");
    this.#l("connect");
    try {
      const e = await this.#f();
      return this.#T(), e;
    } catch (e) {
      throw this.#s?.leave(), this.#y("ended"), p(e);
    }
  }
  /** Send a message, at once or when the connection is back. Throws `not_connected` where there is none. */
  send(e, t, n) {
    const i = R(e, t, n);
    if (this.#n === "rejoining" && this.#a.length < lt) this.#a.push(i);
    else if (this.#n === "rejoining" || !this.#r?.send(i)) throw new a("not_connected");
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
    this.#s?.leave(), this.#k("client_left");
  }
  /** Let go without ending the session, which the service keeps for whoever resumes it. */
  detach() {
    this.#y("ended");
  }
  // --- once ---------------------------------------------------------------------------------
  /** Make a connection, in the session that was just joined or in one that is joined for it. */
  async #f(e) {
    const t = e ?? await this.#g({ resume_token: this.#i });
    if (t.restored || (this.#u = !0), this.#n === "closed") throw new a("client_left");
    this.#r?.close();
    const n = new nt({
      rtc: { iceServers: t.ice_servers, ...this.#e.rtc },
      microphone: this.#e.microphone(),
      send: (r) => this.#s?.send(r),
      listener: {
        track: (r) => this.emit("track", r),
        message: (r) => this.emit("message", r),
        broken: () => this.emit("broken", void 0),
        flows: (r) => this.#l(r ? "media_flows" : "media_stopped"),
        lost: (r) => this.#m(r)
      }
    });
    this.#r = n;
    const i = await n.connect();
    return { restored: !this.#u, ready: i };
  }
  async #g(e) {
    const { room: t, name: n } = this.#e, i = await this.#e.token(), r = { type: "join", room: t, name: n, token: i, client_id: this.#t, ...e }, [o, c] = await F.join(mt(this.#e.url), r, {
      signal: (h) => this.#p(h),
      gone: () => this.#b()
    }).catch((h) => {
      throw this.#e.refusal(p(h));
    });
    if (this.#n === "closed")
      throw o.leave(), new a("client_left");
    return this.#s?.drop(), this.#s = o, this.#o = c.session_id, this.#i = c.resume_token ?? null, this.#i && this.emit("resumption", { token: this.#i, clientId: this.#t }), c;
  }
  #p(e) {
    this.#r?.signal(e);
    const t = this.#n === "connected" || this.#n === "shaky";
    e.type === "error" && t && this.emit("refused", new a(e.code, { detail: e.message })), !(e.type !== "bye" || this.#n === "connecting") && (Je(e.reason) ? this.#m(e.reason) : this.#k(e.reason));
  }
  // --- again --------------------------------------------------------------------------------
  #b() {
    this.#s = null, this.#r?.fail(new a("connection_lost")), (this.#n === "connected" || this.#n === "shaky") && this.#v();
  }
  /** Media flows without the socket; win it back before the service's grace is over. */
  async #v() {
    const e = new z(performance.now(), ct);
    for (let t = e.next(performance.now()); t !== null; t = e.next(performance.now())) {
      if (await T(t), this.#s !== null || !["connected", "shaky"].includes(this.#n)) return;
      try {
        const n = await this.#g({ resume: !0, resume_token: this.#i });
        n.resumed || this.#m("signaling_lost", n);
        return;
      } catch (n) {
        if (!K(n)) break;
      }
    }
    this.#m("signaling_lost");
  }
  /** The connection is gone: make a new one on which the session goes on, or end. */
  #m(e, t) {
    if (this.#n !== "connected" && this.#n !== "shaky") return;
    const n = performance.now() - this.#h < ht;
    this.#d = n ? this.#d + 1 : 0, this.#d > ut ? this.#k(e) : (this.#l("lost"), this.emit("lost", void 0), this.#w(e, t));
  }
  async #w(e, t) {
    if (this.#u = !1, t !== void 0 && await this.#c(t) !== "again") return;
    const n = new z(performance.now(), at);
    for (let i = n.next(performance.now()); i !== null; i = n.next(performance.now()))
      if (await T(i), this.#S(), this.#n !== "rejoining" || await this.#c() !== "again") return;
    this.#k(e);
  }
  /** One attempt. */
  async #c(e) {
    try {
      const t = await this.#f(e);
      return this.#T(), this.emit("reconnected", t), this.#_(), "done";
    } catch (t) {
      if (K(t)) return "again";
      const { code: n, detail: i } = p(t);
      return this.#k(n, i), "over";
    }
  }
  #_() {
    const e = this.#a;
    this.#a = [];
    for (const t of e) this.#r?.send(t);
  }
  // --- over ---------------------------------------------------------------------------------
  #T() {
    this.#h = performance.now(), this.#l("established");
  }
  /** Let go of what is left of a connection; the session is kept for us. */
  #S() {
    this.#r?.close(), this.#s?.drop(), this.#r = this.#s = null;
  }
  #k(e, t = "") {
    if (this.#n === "closed") return;
    const n = this.#n !== "connecting" && this.#n !== "idle";
    this.#y("ended"), n && this.emit("ended", new a(e, { detail: t }));
  }
  #y(e) {
    this.#a = [], this.#S(), this.#l(e);
  }
  #l(e) {
    const t = this.state;
    this.#n = Ke(this.#n, e), this.state !== t && this.emit("state", this.state);
  }
}
function K(s) {
  return dt.has(p(s).code);
}
function mt(s) {
  const e = new URL("ws", s);
  return e.protocol = e.protocol === "https:" ? "wss:" : "ws:", e.hash = e.search = "", e;
}
const pt = {
  echoCancellation: !0,
  noiseSuppression: !1,
  autoGainControl: !1,
  channelCount: 1
};
async function be() {
  const s = await navigator.mediaDevices?.enumerateDevices() ?? [], e = (t) => s.filter((n) => n.kind === t && n.deviceId !== "").map(
    ({ deviceId: n, label: i }) => ({ id: n, label: i })
  );
  return { microphones: e("audioinput"), outputs: e("audiooutput"), canChooseOutput: ve() };
}
function ve() {
  return typeof HTMLMediaElement < "u" && "setSinkId" in HTMLMediaElement.prototype;
}
async function Y(s) {
  const e = s === null ? {} : { deviceId: { exact: s } };
  return (await navigator.mediaDevices.getUserMedia({ audio: { ...pt, ...e } })).getAudioTracks()[0];
}
class _e {
  #e = [];
  #t = !1;
  #n = [];
  /** Add an item; nothing once the stream is closed. */
  push(e) {
    this.#t || (this.#e.push(e), this.#s());
  }
  /** No more items come. */
  close() {
    this.#t = !0, this.#s();
  }
  async *[Symbol.asyncIterator]() {
    for (let e = 0; ; e += 1) {
      for (; e >= this.#e.length; ) {
        if (this.#t) return;
        await new Promise((t) => this.#n.push(t));
      }
      yield this.#e[e];
    }
  }
  #s() {
    const e = this.#n;
    this.#n = [];
    for (const t of e) t();
  }
}
class gt {
  #e = new _e();
  #t = d();
  #n = d();
  #s;
  #r = !1;
  #i = null;
  constructor(e) {
    this.#s = e;
  }
  /** When the voice can be spoken with; it still gets better. Rejects with a `VoicePeerError`. */
  get usable() {
    return this.#t.promise;
  }
  /** When the voice is as good as the needed seconds make it. Rejects with a `VoicePeerError`. */
  get ready() {
    return this.#n.promise;
  }
  /** Whether nothing more will come of it. */
  get isOver() {
    return this.#r !== !1;
  }
  /** Stop learning; the voice stays as it is. */
  stop() {
    this.isOver || (this.#s(), this.fail(new a("enrolment_stopped")));
  }
  async *[Symbol.asyncIterator]() {
    if (yield* this.#e, this.#r instanceof a) throw this.#r;
  }
  // --- for the call ---
  /** @internal */
  progressed(e) {
    const { heard_s: t, needed_s: n, quality: i } = e, r = n > 0 ? Math.min(1, t / n) : 0, [o, c, h] = [e.hint ?? null, e.hint_code ?? null, e.snr_db ?? null];
    this.#e.push({ heardS: t, neededS: n, share: r, quality: i, snrDb: h, hint: o, hintCode: c });
  }
  /** @internal */
  becameUsable(e) {
    this.#i = wt(e), this.#t.resolve(this.#i);
  }
  /** @internal Be content with the voice as it is; whether there is one. */
  settle() {
    return this.#i === null ? !1 : (this.#n.resolve(this.#i), this.#r = !0, this.#e.close(), !0);
  }
  /** @internal */
  becameReady(e) {
    this.becameUsable(e), this.settle();
  }
  /** @internal */
  fail(e) {
    this.isOver || (this.#r = e, this.#t.reject(e), this.#n.reject(e), this.#e.close());
  }
}
function wt(s) {
  return { voiceId: s.voice_id, heardS: s.heard_s, quality: s.quality, elapsedMs: s.elapsed_ms };
}
const yt = 3e4;
function bt(s) {
  return { body: JSON.stringify(s), headers: { "Content-Type": "application/json" } };
}
class J {
  #e;
  #t;
  constructor(e, t) {
    this.#e = e, this.#t = t;
  }
  /** The JSON object of a shape that a request is answered with; rejects with a `VoicePeerError`. */
  async json(e, t, n, i = {}) {
    const r = b(await (await this.request(e, t, i)).text());
    if (r === null || !B(n, r)) throw new a("bad_answer", { detail: t });
    return r;
  }
  /** An answer of 2xx; rejects with a `VoicePeerError` otherwise. */
  async request(e, t, n = {}) {
    const i = new Headers(n.headers), r = await this.#t();
    r && i.set("Authorization", `Bearer ${r}`);
    const o = AbortSignal.timeout(yt);
    let c;
    try {
      c = await fetch(new URL(t, this.#e), { cache: "no-store", signal: o, ...n, method: e, headers: i });
    } catch (h) {
      throw p(h, o.aborted ? "timeout" : "unreachable");
    }
    if (!c.ok) throw await vt(c);
    return c;
  }
}
async function vt(s) {
  const e = l(b(await s.text().catch(() => ""))?.error), { code: t = s.status === 401 ? "unauthorized" : "internal", message: n = s.statusText } = e ?? {};
  return new a(String(t), { detail: String(n) });
}
class _t {
  #e = {};
  #t = {};
  #n = /* @__PURE__ */ new Map();
  #s = null;
  /** The service was asked for this. */
  asked(...[e, t]) {
    e === "controls.set" ? (t.utterance_id ?? "*") === "*" && (this.#e = { ...this.#e, ...t }) : e === "session.configure" ? this.#t = { ...this.#t, ...t } : e === "lexicon.set" ? this.#n.set(t.voice_id ?? "", t) : this.#s = [e, t];
  }
  /** The call speaks with a voice that was learned in it. */
  learned() {
    this.#s = "learned";
  }
  /** Whether the voice cannot be asked for again: it was learned in the call that is lost. */
  get losesVoice() {
    return this.#s === "learned";
  }
  /** What to send so that a new session speaks like the lost one. */
  replay() {
    const e = [];
    Object.keys(this.#e).length > 0 && e.push(["controls.set", this.#e]), Object.keys(this.#t).length > 0 && e.push(["session.configure", this.#t]);
    for (const t of this.#n.values()) e.push(["lexicon.set", t]);
    return this.#s !== null && this.#s !== "learned" && e.push(this.#s), e;
  }
}
const V = -120;
function ke(s) {
  let e = 0;
  for (const t of s) e += t * t;
  return Math.max(V, 10 * Math.log10(e / Math.max(1, s.length) + 1e-12));
}
class Te {
  #e;
  #t;
  #n;
  /** `window` samples, a power of two, are looked at: 1024 are 21 ms at 48 kHz. */
  constructor(e, t = 1024) {
    this.#e = e, this.#t = e.context.createAnalyser(), this.#t.fftSize = t, this.#n = new Float32Array(t), e.connect(this.#t);
  }
  /** The last samples; the array is used again by the next call. */
  samples() {
    return this.#t.getFloatTimeDomainData(this.#n), this.#n;
  }
  /** Level of the last samples, in dB relative to full scale. */
  dbfs() {
    return ke(this.samples());
  }
  /** Stop listening. */
  close() {
    this.#e.disconnect(this.#t);
  }
}
const kt = 2e3;
class Tt {
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
      const n = this.#t;
      return this.reset(), n ? "heard" : null;
    }
    return this.#e ??= t, this.#t || t - this.#e < kt ? null : (this.#t = !0, "silent");
  }
  /** Forget what was seen, for another microphone. */
  reset() {
    this.#e = null, this.#t = !1;
  }
}
const St = 400, Et = 32768, Mt = {
  NotAllowedError: ["denied", "microphone.denied"],
  SecurityError: ["denied", "microphone.denied"],
  NotFoundError: ["missing", "microphone.missing"],
  OverconstrainedError: ["missing", "microphone.missing"],
  NotReadableError: ["busy", "microphone.busy"],
  AbortError: ["busy", "microphone.busy"]
};
class It {
  #e;
  #t = new Tt();
  #n = "off";
  #s = null;
  #r = !0;
  #i = null;
  #o = null;
  #a;
  #u = !1;
  #h = !1;
  #d = null;
  constructor(e) {
    this.#e = e;
  }
  get state() {
    return this.#n;
  }
  /** What is sent, or `null` in a call that only listens. */
  get track() {
    return this.#s;
  }
  /** Which one is in use; `null` where there is none. */
  get device() {
    const e = this.#s?.getSettings().deviceId ?? "";
    return this.#s === null ? null : { id: e, label: this.#s.label };
  }
  /** RMS level of the last 0.3 to 0.7 s, in dB relative to full scale; -120 is silence. */
  get dbfs() {
    return this.#o?.dbfs() ?? V;
  }
  /** Whether silence is sent in place of what is said. */
  get muted() {
    return this.#u;
  }
  set muted(e) {
    this.#u = e, this.#s && (this.#s.enabled = !e), this.#t.reset();
  }
  /**
   * Turn it on, or change to another device. Whether it is on then: where not, a notice tells why,
   * and the call goes on listening.
   */
  async start(e = this.#i) {
    if (this.#i = e, !navigator.mediaDevices?.getUserMedia) return this.#w("denied", "page.insecure");
    try {
      return await this.#f(await X(e), !0), this.#s !== null;
    } catch (t) {
      const [n, i] = Mt[t?.name] ?? ["busy", "microphone.busy"];
      return this.#w(n, i);
    }
  }
  /** Send a track of the application's own; it is never stopped here. */
  async use(e) {
    await this.#f(e, !1);
  }
  /** Turn it off. */
  async stop() {
    this.#_(), this.#c("off"), await this.#e.send(null);
  }
  /** Devices have come or gone: take the wanted one if it is back, any if there was none. */
  async devicesChanged() {
    if (["off", "denied"].includes(this.#n) || !this.#r) return;
    const { microphones: e } = await be();
    if (this.#n === "on") {
      if (!e.some(({ id: n }) => n === this.#i) || this.device?.id === this.#i) return;
    } else if (e.length === 0) return;
    await this.#v();
  }
  /** Let go of the device. */
  close() {
    this.#h = !0, this.#_(), this.#n = "off";
  }
  async #f(e, t) {
    if (this.#h) {
      t && e.stop();
      return;
    }
    this.#_(), this.#s = e, this.#r = t, e.enabled = !this.#u, e.addEventListener("ended", () => {
      e === this.#s && this.#b();
    }), this.#c("on"), this.#g(e), await this.#e.send(e);
  }
  #g(e) {
    const t = this.#e.context();
    if (t !== null) {
      try {
        this.#o = new Te(t.createMediaStreamSource(new MediaStream([e])), Et);
      } catch {
        return;
      }
      this.#a = setInterval(() => this.#p(t, e), St);
    }
  }
  #p(e, t) {
    if (this.#u || e.state !== "running" && !t.muted) return this.#t.reset();
    const n = t.muted || !(this.#o?.samples().some((r) => r !== 0) ?? !0), i = this.#t.look(n, performance.now());
    i !== null && this.#e.notify(`microphone.${i}`);
  }
  async #b() {
    const e = this.#r;
    this.#_(), this.#c("lost"), (!e || !await this.#v()) && (await this.#e.send(null), this.#e.notify("microphone.lost"));
  }
  /** Once at a time, whatever tells first: the end of a track, or the devices that are there. */
  #v() {
    return this.#d ??= this.#m().finally(() => {
      this.#d = null;
    }), this.#d;
  }
  /** Quietly: what is missing was told of already. */
  async #m() {
    try {
      await this.#f(await X(this.#i), !0);
    } catch {
      return !1;
    }
    return this.#s === null ? !1 : (this.#e.notify("microphone.changed", this.#s.label), !0);
  }
  #w(e, t) {
    return this.#n !== "on" && this.#c(e), this.#e.notify(t), !1;
  }
  #c(e) {
    e !== this.#n && (this.#n = e, this.#e.changed(e));
  }
  #_() {
    clearInterval(this.#a), this.#t.reset(), this.#o?.close(), this.#o = null;
    const e = this.#s;
    this.#s = null, this.#r && e?.stop();
  }
}
async function X(s) {
  try {
    return await Y(s);
  } catch (e) {
    const t = ["OverconstrainedError", "NotFoundError"].includes(e?.name);
    if (s === null || !t) throw e;
    return Y(null);
  }
}
function xt(s, e) {
  return { code: s, message: k(s, void 0, e), fault: ce(s), detail: e };
}
const Ot = 75e3;
class At {
  #e = /* @__PURE__ */ new Map();
  #t = 0;
  /** Ask by `send`, which is given the id to ask under. Rejects with a `VoicePeerError`. */
  async ask(e) {
    this.#t += 1;
    const t = `r${this.#t}`, n = d(), i = setTimeout(() => this.#n(t)?.reject(new a("timeout")), Ot);
    this.#e.set(t, { answer: n, timer: i });
    try {
      e(t);
    } catch (r) {
      this.#n(t)?.reject(r);
    }
    return n.promise;
  }
  /** Take an answer or a refusal; whether somebody waited for it. */
  take({ id: e, kind: t, fields: n }) {
    const i = this.#n(e);
    return t === "answer" ? i?.resolve(n) : i?.reject(N(n)), i !== void 0;
  }
  /** Nothing that was asked so far is answered any more. */
  lost() {
    for (const e of [...this.#e.keys()]) this.#n(e)?.reject(new a("connection_lost"));
  }
  #n(e) {
    const t = this.#e.get(e);
    return clearTimeout(t?.timer), this.#e.delete(e), t?.answer;
  }
}
function N(s) {
  const { error: e, code: t, utterance_id: n } = s;
  return new a(typeof t == "string" ? t : "internal", {
    detail: typeof e == "string" ? e : "",
    utteranceId: typeof n == "string" ? n : void 0
  });
}
const jt = ["pointerdown", "keydown", "touchend"];
class Ct {
  /** `null` where the browser has no Web Audio. */
  context;
  #e;
  #t = new AbortController();
  #n = [];
  #s = !1;
  #r = !1;
  /** Make it in a click or key press where there is one: then nothing is blocked. */
  constructor(e) {
    this.#e = e, this.context = Lt();
    const { signal: t } = this.#t;
    this.context?.addEventListener("statechange", () => this.#i(), { signal: t }), document.addEventListener("visibilitychange", () => {
      !document.hidden && this.#r && this.resume();
    }, { signal: t });
    for (const n of jt)
      document.addEventListener(n, () => {
        this.#s && this.resume();
      }, { signal: t, capture: !0 });
  }
  /** Play an element's sound; from now on it matters whether that is allowed. */
  async play(e) {
    this.#n = [...this.#n.filter((t) => t !== e), e], this.#r = !0, await this.resume();
  }
  /** Try to play; by a click or key press on the page this happens by itself. Whether there is sound. */
  async resume() {
    this.context?.resume().catch(() => {
    });
    const t = (await Promise.allSettled(this.#n.map((n) => n.play()))).some((n) => n.status === "rejected" && n.reason?.name === "NotAllowedError");
    return this.#i(t);
  }
  /** Stop; the page may make another one. */
  close() {
    this.#t.abort();
    for (const e of this.#n) e.srcObject = null;
    this.#n = [], this.context?.close().catch(() => {
    });
  }
  #i(e = !1) {
    const t = this.context?.state ?? "running", n = e || t === "suspended" || t === "interrupted";
    return !this.#r || n === this.#s || (this.#s = n, this.#e(n ? t === "interrupted" ? "audio.interrupted" : "audio.blocked" : "audio.resumed")), !n;
  }
}
function Lt() {
  const s = globalThis, e = s.AudioContext ?? s.webkitAudioContext;
  return e ? new e({ latencyHint: "interactive" }) : null;
}
const Rt = -50, Q = 2, Z = 30;
function Se(s, e, t) {
  const n = Math.max(1, Math.round(Q * e / 1e3));
  let i = t ? Z : 0;
  for (let r = 0; r + n <= s.length; r += n)
    if (ke(s.subarray(r, r + n)) <= Rt) i += Q;
    else {
      if (i >= Z) return r;
      i = 0;
    }
  return -1;
}
function ee(s, e) {
  return Se(s, e, !0) < 0;
}
class Nt {
  #e = 60;
  /** The service's word that a sound was sent came at `toldAt`, the sound at `heardAt` (ms). */
  measured(e, t) {
    const n = Math.min(1e3, Math.max(0, t - e));
    this.#e += 0.5 * (n - this.#e);
  }
  /** What to wait after the service's word, in ms. */
  get ms() {
    return this.#e;
  }
}
const P = 2e3;
function* Pt(s) {
  const e = Array.from(s);
  for (let t = 0; t < e.length; t += P)
    yield e.slice(t, t + P).join("");
}
function $t(s) {
  return s.length <= P;
}
class Dt {
  #e = 0;
  #t = 0;
  /** The offset of code point `point` in `text`, at most its length. */
  unitOf(e, t) {
    for (t < this.#e && (this.#e = this.#t = 0); this.#e < t && this.#t < e.length; )
      this.#t += e.codePointAt(this.#t) > 65535 ? 2 : 1, this.#e += 1;
    return this.#t;
  }
}
const Ut = 20;
class Bt {
  #e;
  #t = "";
  #n;
  constructor(e) {
    this.#e = e;
  }
  /** Take a text; an empty one is none. */
  push(e) {
    this.#t += e, !(this.#n !== void 0 || this.#t === "") && (this.#s(), this.#n = setTimeout(() => {
      this.#n = void 0, this.push("");
    }, Ut));
  }
  /** Send what waits. */
  flush() {
    clearTimeout(this.#n), this.#n = void 0, this.#s();
  }
  #s() {
    const e = this.#t;
    this.#t = "", e !== "" && this.#e(e);
  }
}
class Wt {
  id;
  /** When its first text was sent, by `performance.now()`. */
  sentAt;
  #e;
  #t = d();
  #n = d();
  #s = new _e();
  #r;
  #i = !1;
  constructor(e, t, n, i) {
    this.id = e, this.sentAt = i, this.#r = t, this.#e = n;
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
    return this.#n.promise;
  }
  /** Whether it is over. */
  get isOver() {
    return this.#i;
  }
  /** Its words, each when it begins to be heard here; ends with the utterance. */
  get words() {
    return this.#s;
  }
  /** More text of an utterance that was opened with `open`; spoken as soon as a clause is complete. */
  append(e) {
    return W("append", e), this.#r += e, this.#e.append(this, e), this;
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
    this.#s.push(e);
  }
  /** @internal */
  ended(e) {
    this.#i || (this.#i = !0, this.#t.resolve(null), this.#s.close(), this.#n.resolve({ playedMs: 0, underruns: 0, error: null, ...e }));
  }
}
const Ft = {
  voiceId: "voice_id",
  pitchSemitones: "pitch_semitones",
  emotionStrength: "emotion_strength"
};
function S(s) {
  const e = {};
  for (const [t, n] of Object.entries(s))
    n !== void 0 && (e[Ft[t] ?? t] = n);
  return e;
}
const Vt = 256e3, te = 40, Ht = 800;
class qt {
  #e;
  #t = /* @__PURE__ */ new Map();
  #n = new Nt();
  #s = 0;
  #r = 0;
  #i;
  constructor(e) {
    this.#e = e;
  }
  /** All that are not over, in the order in which they were asked for. */
  get utterances() {
    return [...this.#t.values()].map(({ utterance: e }) => e);
  }
  /** Say a text that is known, or one that is still being written. Throws `not_connected` and `misuse`. */
  speak(e, t) {
    if (w("speak", t, q), Ne(e)) return this.#g(e, t);
    f("speak", e);
    const n = this.#o(t, e), { id: i } = n.utterance;
    return $t(e) ? (n.opened = !0, this.#f(n, () => this.#e.send("utterance.speak", { ...S(t), utterance_id: i, text: e }))) : this.#f(n, () => {
      this.#h(n, e), this.#e.send("utterance.end", { utterance_id: i });
    }), n.utterance;
  }
  /** An utterance to `append` to; it exists for the service with its first text. */
  open(e) {
    return w("open", e, q), this.#o(e, "").utterance;
  }
  /** The connection is lost, and the service may have forgotten what it was told on it. */
  interrupted() {
    for (const e of this.#t.values()) e.doubtful = e.opened;
  }
  /** The connection is back, and of what the service was told this goes on. */
  restored(e) {
    for (const [t, n] of this.#t)
      n.doubtful && !e.includes(t) && this.#c(t, { how: "lost", error: new a("connection_lost") }), n.doubtful = !1;
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
    const n = this.#t.get(e);
    n !== void 0 && (n.serviceMs = t, n.toldAt = performance.now(), n.heardAt !== null ? this.#w(n) : setTimeout(() => this.#w(n), n.alone ? Ht : this.#n.ms));
  }
  word(e) {
    const t = this.#t.get(e.utterance_id);
    if (t === void 0) return;
    const { text: n } = t.utterance, i = t.offsets.unitOf(n, e.char_start), r = t.offsets.unitOf(n, e.char_end), o = { text: e.text, start: i, end: r, startMs: e.start_ms, endMs: e.end_ms };
    this.#b(() => {
      t.utterance.isOver || (t.utterance.spoke(o), this.#e.word(t.utterance, o));
    });
  }
  done({ utterance_id: e, audio_ms: t, underruns: n }) {
    this.#b(() => this.#c(e, { how: "done", playedMs: t, underruns: n }));
  }
  cancelled({ utterance_id: e, played_ms: t }) {
    this.#c(e, { how: "cancelled", playedMs: t });
  }
  failed({ utterance_id: e, code: t, message: n, played_ms: i }) {
    this.#c(e, { how: "failed", playedMs: i, error: new a(t, { detail: n, utteranceId: e }) });
  }
  // --- in -----------------------------------------------------------------------------------
  #o(e, t, n = this.#a()) {
    const i = new Wt(n, t, this.#u(), performance.now()), r = this.#e.samples(), o = {
      utterance: i,
      delivery: e,
      opened: !1,
      doubtful: !1,
      offsets: new Dt(),
      alone: r !== null && this.#t.size === 0,
      quiet: r !== null && ee(r.samples, r.rateHz),
      heardAt: null,
      toldAt: null,
      serviceMs: null,
      audible: !1
    };
    return this.#t.set(n, o), o.alone && this.#v(o), o;
  }
  #a() {
    return this.#s += 1, `u${this.#s}-${we().slice(0, 8)}`;
  }
  #u() {
    return {
      append: (e, t) => {
        const n = this.#t.get(e.id);
        n !== void 0 && this.#h(n, t);
      },
      flush: (e) => {
        this.#t.get(e)?.opened && this.#e.send("utterance.flush", { utterance_id: e });
      },
      end: (e) => this.#d(e),
      cancel: (e) => {
        this.#t.get(e)?.opened ? this.#e.send("utterance.cancel", { utterance_id: e }) : this.#c(e, { how: "cancelled" });
      },
      set: (e, t) => this.#e.set(e, t)
    };
  }
  #h(e, t) {
    for (const n of Pt(t)) {
      const i = e.opened ? {} : S(e.delivery);
      this.#e.send("utterance.append", { ...i, utterance_id: e.utterance.id, text: n }), e.opened = !0;
    }
  }
  #d(e) {
    const t = this.#t.get(e);
    t !== void 0 && (t.opened ? this.#e.send("utterance.end", { utterance_id: e }) : this.#c(e, { how: "done" }));
  }
  #f(e, t) {
    try {
      t();
    } catch (n) {
      throw this.#c(e.utterance.id, { how: "failed", error: n }), n;
    }
  }
  #g(e, t) {
    const n = this.open(t);
    return this.#p(n, e), n;
  }
  async #p(e, t) {
    const n = new Bt((i) => {
      e.isOver || e.append(i);
    });
    try {
      for await (const i of t) {
        for (W("speak", i, "what the stream gives"); this.#e.bufferedBytes() > Vt && !e.isOver; ) await T(te);
        if (e.isOver) break;
        n.push(i);
      }
      n.flush(), e.end();
    } catch (i) {
      const r = i instanceof a ? i : new a("text_stream_failed", { cause: i });
      this.#c(e.id, { how: "failed", error: r }, () => e.cancel());
    }
  }
  // --- by ear -------------------------------------------------------------------------------
  /** Later by as much as sound is later than messages; what was told first happens first. */
  #b(e) {
    const t = performance.now();
    this.#r = Math.max(this.#r, t + this.#n.ms), setTimeout(e, this.#r - t);
  }
  #v(e) {
    clearInterval(this.#i), this.#i = setInterval(() => {
      const t = this.#e.samples();
      if (t === null) return;
      const { samples: n, rateHz: i } = t, r = Se(n, i, e.quiet);
      e.quiet ||= ee(n, i);
      const o = performance.now() - 1e3 * (n.length - r) / i;
      r < 0 || o < e.utterance.sentAt || (e.heardAt = o, this.#m(e), e.toldAt !== null && this.#w(e));
    }, te);
  }
  #m(e) {
    e.alone && clearInterval(this.#i), e.alone = !1;
  }
  /** The service has told of its sound; that was heard, or nothing could be made out. */
  #w(e) {
    const { utterance: t, toldAt: n, heardAt: i } = e;
    if (e.audible || t.isOver || n === null) return;
    e.audible = !0, this.#m(e);
    const r = i !== null;
    r && this.#n.measured(n, i);
    const c = { latencyMs: (i ?? n + this.#n.ms) - t.sentAt, serviceMs: e.serviceMs, measured: r };
    t.becameAudible(c), this.#e.audible(t, c);
  }
  #c(e, t, n) {
    const i = this.#t.get(e);
    if (i === void 0) return;
    try {
      n?.();
    } catch {
    }
    this.#t.delete(e), this.#m(i);
    const { utterance: r } = i;
    r.ended(t), r.finished.then((o) => this.#e.finished(r, o));
  }
}
const Gt = 8192;
class zt {
  /**
   * The voice as a track for any conference: the same one for the whole call, over all reconnections.
   * `null` where the browser has no Web Audio; then use `remoteTrack`.
   */
  track;
  #e;
  #t;
  #n;
  #s;
  #r = null;
  #i = null;
  #o = null;
  /** `audible`: whether it is played here, too, by `player` or by an element of its own. */
  constructor(e, t, n, i) {
    this.#e = e, this.#t = n, this.#n = e.context?.createMediaStreamDestination() ?? null, this.track = this.#n?.stream.getAudioTracks()[0] ?? null, this.#s = i ?? document.createElement("audio"), this.#s.muted = !t;
  }
  /** The track as it comes over the connection: another one after each reconnection. */
  get remoteTrack() {
    return this.#o;
  }
  /** RMS level of the last 0.2 s, in dB relative to full scale; -120 is silence. */
  get dbfs() {
    return this.#i?.dbfs() ?? V;
  }
  /** The last 0.2 s, for measuring; `null` before there is a connection or while sound is blocked. */
  samples() {
    const e = this.#e.context;
    return this.#i === null || e?.state !== "running" ? null : { samples: this.#i.samples(), rateHz: e.sampleRate };
  }
  /** Whether it is silent here; the tracks sound all the same. */
  get muted() {
    return this.#s.muted;
  }
  set muted(e) {
    this.#s.muted = e;
  }
  /** How loud it is played here, 0 to 1. */
  get volume() {
    return this.#s.volume;
  }
  set volume(e) {
    this.#s.volume = e;
  }
  /** Play through another output. Whether it does; where not, a notice tells why. */
  async setOutput(e) {
    if (!ve())
      return this.#t("output.fixed"), !1;
    try {
      await this.#s.setSinkId(e);
    } catch {
      return this.#t("output.missing"), !1;
    }
    return !0;
  }
  /** @internal A connection has brought this track. */
  take(e) {
    this.#a(), this.#o = e;
    const t = new MediaStream([e]);
    this.#s.srcObject = t;
    const { context: n } = this.#e;
    n !== null && this.#n !== null && (this.#r = n.createMediaStreamSource(t), this.#r.connect(this.#n), this.#i = new Te(this.#r, Gt)), this.#e.play(this.#s);
  }
  /** @internal */
  close() {
    this.#a(), this.track?.stop();
  }
  #a() {
    this.#i?.close(), this.#r?.disconnect(), this.#i = this.#r = null;
  }
}
function Kt(s, e) {
  const t = g(s, "inbound-rtp", I), n = g(s, "outbound-rtp", I), i = g(s, "remote-inbound-rtp", I), r = Jt(s), o = (v, _) => $(v, e, _), c = o(t, "packetsReceived"), h = o(t, "packetsLost");
  return {
    rttMs: x(m(r, "currentRoundTripTime") ?? m(i, "roundTripTime")),
    lossPercent: se(h, Qt(c, h)),
    jitterMs: x(m(t, "jitter")),
    playoutDelayMs: x(H(o(t, "jitterBufferDelay"), o(t, "jitterBufferEmittedCount"))),
    concealedPercent: se(o(t, "concealedSamples"), o(t, "totalSamplesReceived")),
    receivedBps: ne(t, e, "bytesReceived"),
    sentBps: ne(n, e, "bytesSent"),
    sentLossPercent: M(m(i, "fractionLost"), 100),
    relayed: Xt(s, r)
  };
}
function Yt(s) {
  const e = /* @__PURE__ */ new Map();
  return s.forEach((t, n) => e.set(n, t)), e;
}
function g(s, e, t) {
  for (const n of s.values()) if (n.type === e && t(n)) return n;
}
function I(s) {
  return (s.kind ?? s.mediaType) === "audio";
}
function Jt(s) {
  const e = g(s, "transport", () => !0)?.selectedCandidatePairId;
  return typeof e == "string" ? s.get(e) : g(s, "candidate-pair", (t) => t.selected === !0 || t.nominated === !0);
}
function Xt(s, e) {
  const t = s.get(String(e?.localCandidateId));
  return t === void 0 ? null : t.candidateType === "relay";
}
function m(s, e) {
  const t = s?.[e];
  return typeof t == "number" && Number.isFinite(t) ? t : null;
}
function $(s, e, t) {
  const n = m(s, t);
  if (n === null) return null;
  const i = m(e?.get(String(s?.id)), t) ?? 0;
  return n >= i ? n - i : n;
}
function ne(s, e, t) {
  const n = e === null ? null : $(s, e, "timestamp"), i = $(s, e, t);
  return e?.has(String(s?.id)) ?? !1 ? M(H(i, n), 8e3) : null;
}
function Qt(s, e) {
  return s === null || e === null ? null : s + e;
}
function H(s, e) {
  return s === null || e === null || e <= 0 ? null : s / e;
}
function se(s, e) {
  return M(H(s, e), 100);
}
function x(s) {
  return M(s, 1e3);
}
function M(s, e) {
  return s === null ? null : s * e;
}
const ie = 3e4;
function Zt(s) {
  return async () => {
    const e = typeof s == "function" ? await tn(s) : s;
    if (e != null && typeof e != "string")
      throw u("token", `a key is a string, not ${y(e)}`);
    return e || null;
  };
}
function en(s, e) {
  return s.code !== "unauthorized" || typeof e != "function" ? s : new a("token_refused", { detail: s.detail, cause: s });
}
async function tn(s) {
  const e = () => new a("token_failed", { detail: `no token within ${ie / 1e3} s` });
  try {
    return await E((async () => s())(), ie, e);
  } catch (t) {
    throw p(t, "token_failed");
  }
}
const nn = "application/octet-stream", sn = 100, D = "the id", re = "the name";
class rn {
  #e;
  #t;
  constructor(e, t) {
    this.#e = e, this.#t = t;
  }
  /** Own voices, the newest first, then those of the engine. */
  async list() {
    const e = [];
    for (let t = ""; ; ) {
      const n = `limit=${sn}${t && `&after=${encodeURIComponent(t)}`}`, i = await this.#e.json("GET", `v1/audio/voices?${n}`, on);
      if (e.push(...i.data.map(A)), !i.has_more) return e;
      t = String(i.last_id);
    }
  }
  /** Speak with a voice from the next utterance on. */
  async use(e) {
    return f("voices.use", e, D), this.#t.use(e);
  }
  /** Speak with a mix: weights over 0 by id. */
  async mix(e) {
    return me("voices.mix", e, "number", "weights"), this.#t.mix(e);
  }
  /** Keep the voice of this call after the call. */
  async save(e) {
    return f("voices.save", e, re), this.#t.save(e);
  }
  /** Give a voice another name. */
  async rename(e, t) {
    return f("voices.rename", t, re), A(await this.#e.json("POST", O(e), U, bt({ name: t })));
  }
  /** The voice with its consent, as a file. Keep it like a secret. */
  async export(e) {
    return (await this.#e.request("GET", `${O(e)}/export`)).blob();
  }
  /** Take in a file that was exported; the voice has a new id, and another name where its own is taken. */
  async import(e) {
    if (typeof e?.arrayBuffer != "function") throw u("voices.import", `the file is a Blob, not ${y(e)}`);
    const t = { body: e, headers: { "Content-Type": nn } };
    return A(await this.#e.json("POST", "v1/audio/voices/import", U, t));
  }
  /** Delete a voice, at once and everywhere: calls that speak with it fall silent. */
  async delete(e) {
    await this.#e.request("DELETE", O(e));
  }
  /** Withdraw a consent: all voices that were made under it are deleted with it; their ids. */
  async withdraw(e) {
    f("voices.withdraw", e, D);
    const t = `v1/audio/voice_consents/${encodeURIComponent(e)}`;
    return (await this.#e.json("DELETE", t, an)).voices_deleted ?? [];
  }
}
const U = {
  id: "string",
  created_at: "number",
  name: "string",
  type: "string",
  consent: "string|null?",
  quality: "number|null?",
  expires_at: "number|null?"
}, on = { data: "object[]", has_more: "boolean", last_id: "string|null?" }, an = { voices_deleted: "string[]?" };
function O(s) {
  return f("voices", s, D), `v1/audio/voices/${encodeURIComponent(s)}`;
}
function A(s) {
  if (!B(U, s)) throw new a("bad_answer");
  const e = s;
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
const cn = 12e4, hn = 5e3, un = 15e3, ln = /* @__PURE__ */ new Set(["at_capacity", "origin_not_allowed", "rate_limit_exceeded"]), dn = /* @__PURE__ */ new Set([502, 503, 504]);
async function fn(s, e, t) {
  const n = performance.now() + cn;
  for (; ; ) {
    const i = () => new a("timeout"), { status: r, reason: o, retryMs: c } = await E(mn(s, t), un, i);
    if (r === "ready") return;
    if (r === "at_capacity") throw new a("at_capacity");
    if (performance.now() > n) throw new a("not_ready", { detail: o });
    e(o), await T(c);
  }
}
async function mn(s, e) {
  const t = new URL("readyz", s), n = await fetch(t, { cache: "no-store", signal: e }).catch(() => null), i = b(await n?.text().catch(() => ""));
  if (e.aborted) throw new a("client_left");
  if (n === null) throw await gn(s, fetch(t, { cache: "no-store", mode: "no-cors", signal: e }));
  const { status: r, reason: o } = i ?? {};
  if (!(typeof r == "string" && (n.ok ? r === "ready" : n.status === 503))) throw pn(s, n.status, i?.error);
  const h = Number(n.headers.get("Retry-After")) || 2;
  return { status: r, reason: typeof o == "string" ? o : "", retryMs: Math.min(hn, 1e3 * h) };
}
function pn(s, e, t) {
  const { code: n, message: i } = l(t) ?? {};
  if (ln.has(n)) return new a(String(n), { detail: String(i ?? "") });
  const r = `${s.href} (${e})`;
  return new a(dn.has(e) ? "unreachable" : "no_service", { detail: r });
}
async function gn(s, e) {
  if (!await e.then(() => !0, () => !1)) return new a("unreachable", { detail: s.href });
  const n = `${s.href} answers, but not to this page: does server.allowed_origins name ${location.origin}?`;
  return new a("origin_not_allowed", { detail: n });
}
const wn = {
  "voice.use": "voice.selected",
  "voice.mix": "voice.selected",
  "voice.save": "voice.saved",
  "session.configure": "session.configured",
  "lexicon.set": "lexicon.accepted",
  "stats.get": "stats"
};
class bn extends ge {
  /** The microphone of the call. */
  microphone;
  /** The voice that comes. */
  speech;
  /** Voices that outlive the call. */
  voices;
  #e;
  #t;
  #n;
  #s;
  #r;
  #i;
  #o = new At();
  #a = new _t();
  #u = new AbortController();
  #h = null;
  #d = null;
  #f = !1;
  /** Make it in a click or key press: browsers let only those pages sound. Throws `misuse`. */
  constructor(e = {}) {
    super(), e.language !== void 0 && Me(e.language), this.#t = e.microphone ?? !0, this.#e = $e(e.url ?? ".", document.baseURI), this.#n = Zt(e.token ?? null);
    const t = (n, i = "") => this.#E(n, i);
    this.#r = new Ct(t), this.speech = new zt(this.#r, e.audible ?? !0, t, e.player), this.microphone = new It({
      send: (n) => this.#s.replaceMicrophone(n),
      context: () => this.#r.context,
      notify: t,
      changed: (n) => this.emit("microphone", n)
    }), this.#s = this.#g(e), this.#i = this.#p(), this.voices = new rn(new J(this.#e, this.#n), {
      use: async (n) => j(await this.#y("voice.use", { voice_id: n })),
      mix: async (n) => j(await this.#y("voice.mix", { weights: n })),
      save: (n) => this.#k(n)
    }), this.#m();
  }
  /** Where the call stands. */
  get state() {
    return this.#s.state;
  }
  /** Names the call in the service's log and its API; empty before there is one. */
  get sessionId() {
    return this.#s.sessionId;
  }
  /** The peer connection of the moment, for what is not done here; another one after each reconnection. */
  get peerConnection() {
    return this.#s.pc;
  }
  /**
   * Wait until the service takes calls, ask for the microphone, and connect. Without a microphone the
   * call only listens, and a notice tells why. Once. Rejects with a `VoicePeerError`.
   */
  async connect() {
    if (this.state === "closed") throw new a("call_over");
    if (this.#f) throw u("connect", "this call has begun; a VoicePeer is one call, make another for another one");
    if (this.#f = !0, typeof RTCPeerConnection > "u") throw new a("browser.unsupported");
    try {
      await fn(this.#e, (n) => this.#E("service.starting", n), this.#u.signal), await this.#b();
      const { restored: e, ready: t } = await this.#s.open();
      return this.#i.restored(t.utterances ?? []), { restored: e, voiceLost: !1 };
    } catch (e) {
      throw this.detach(), e;
    }
  }
  /** Hang up; harmless when it is over already. */
  close() {
    this.#s.close(), this.#M();
  }
  /** Let go of the call without ending it: another page, or this one after a reload, can `resume` it. */
  detach() {
    this.#s.detach(), this.#M();
  }
  // --- a voice ------------------------------------------------------------------------------
  /** Let the service learn the voice of the microphone, whose speaker agrees to that. Throws `misuse`. */
  enrol(e) {
    Re("enrol", e);
    const { consentVersion: t, consentId: n, consent: i, name: r } = e, o = {
      ...i !== void 0 && { consent: i },
      ...r !== void 0 && { name: r },
      ...n !== void 0 && { consent_id: n },
      ...t !== void 0 && { consent_version: t }
    }, c = new gt(() => void this.#l("enrol.stop", {}).catch(() => {
    }));
    return this.#h?.enrolment.fail(new a("enrolment_stopped")), this.#h = { enrolment: c, fields: o }, this.#l("enrol.start", o).catch((h) => c.fail(h)), c;
  }
  // --- a text -------------------------------------------------------------------------------
  /**
   * Say a text in the voice of the call: a whole one, or one that is still being written. Throws
   * `misuse` for what is no text or an empty one, and for settings that there are none of.
   */
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
    this.#s.send("utterance.cancel", {});
  }
  /** Speak differently from now on. */
  async control(e) {
    w("control", e, L), await oe(this.#y("controls.set", S(e)));
  }
  /** Say words in another way: a spelling, or IPA between slashes. */
  async setLexicon(e, t) {
    me("setLexicon", e, "string", "words"), await this.#y("lexicon.set", { words: e, ...t !== void 0 && { voice_id: t } });
  }
  /** Settings of the session, such as `{ barge_in: true }`: whether speech interrupts ours. */
  async configure(e) {
    if (l(e) === null) throw u("configure", "settings are an object");
    await this.#y("session.configure", e);
  }
  // --- the rest -----------------------------------------------------------------------------
  /** What the connection has been like since the last time that this was asked. */
  async stats() {
    const e = await this.#s.pc?.getStats();
    if (e === void 0) return null;
    const t = Yt(e), n = this.#d;
    return this.#d = t, Kt(t, n);
  }
  /** The service's own counters of the session. */
  async serviceStats() {
    return await this.#l("stats.get", {});
  }
  /** Microphones and outputs. */
  devices() {
    return be();
  }
  /** ICE servers for connections of the application's own. */
  async iceServers() {
    const { ice_servers: e } = await new J(this.#e, this.#n).json("GET", "v1/realtime/ice-servers", { ice_servers: "object[]" });
    return e;
  }
  /** Try again to play what the browser has blocked; clicks and keys do so by themselves. Whether there is sound. */
  resumeAudio() {
    return this.#r.resume();
  }
  /** Send any message of docs/wire.md, for what has no method here; gives what it is answered with. */
  request(e, t) {
    return this.#l(e, t);
  }
  // --- inside -------------------------------------------------------------------------------
  #g({ token: e, room: t = "default", name: n = "", rtc: i = {}, resume: r }) {
    return new ft({
      url: this.#e,
      token: this.#n,
      refusal: (o) => en(o, e ?? null),
      room: t,
      name: n,
      rtc: i,
      resume: r ?? null,
      microphone: () => this.microphone.track
    });
  }
  #p() {
    return new qt({
      send: (e, t) => this.#s.send(e, t),
      bufferedBytes: () => this.#s.bufferedBytes,
      set: async (e, t) => {
        w("set", t, L), await oe(this.#l("controls.set", { ...S(t), utterance_id: e }));
      },
      samples: () => this.speech.samples(),
      audible: (e, t) => this.emit("audible", { utterance: e, audible: t }),
      word: (e, t) => this.emit("word", { utterance: e, word: t }),
      finished: (e, t) => this.emit("finished", { utterance: e, end: t })
    });
  }
  async #b() {
    if (this.#t === !1) return;
    typeof this.#t == "object" ? await this.microphone.use(this.#t) : await this.microphone.start(this.#t === !0 ? null : this.#t);
    const { signal: e } = this.#u;
    navigator.mediaDevices?.addEventListener("devicechange", () => void this.microphone.devicesChanged(), { signal: e }), this.#v(e);
  }
  /** When the microphone is allowed after all, take it. */
  #v(e) {
    navigator.permissions?.query({ name: "microphone" }).then((n) => {
      n.addEventListener("change", () => {
        n.state === "granted" && this.microphone.state === "denied" && this.microphone.start();
      }, { signal: e });
    }).catch(() => {
    });
  }
  #m() {
    this.#s.on("state", (e) => {
      e === "interrupted" && this.#E("connection.lost"), this.emit("state", e);
    }), this.#s.on("track", (e) => {
      this.speech.take(e), this.emit("track", e);
    }), this.#s.on("resumption", (e) => this.emit("resumption", e)), this.#s.on("message", (e) => this.#w(e)), this.#s.on("broken", () => this.emit("error", new a("bad_answer"))), this.#s.on("refused", (e) => this.emit("error", e)), this.#s.on("lost", () => {
      this.#o.lost(), this.#i.interrupted();
    }), this.#s.on("reconnected", (e) => this.#T(e)), this.#s.on("ended", ({ code: e, message: t, fault: n }) => {
      this.#M(), this.emit("closed", { reason: e, message: t, fault: n });
    });
  }
  #w(e) {
    const { kind: t, name: n, fields: i } = e;
    t !== "event" ? !this.#o.take(e) && t === "refusal" && this.#c(N(i)) : n === "error" ? this.#c(N(i)) : n !== "pong" && (this.#_(n, i), this.emit(n, i));
  }
  #c(e) {
    e.utteranceId !== void 0 && this.#i.refused(e.utteranceId, e) || this.emit("error", e);
  }
  /** Let the handles of what goes on know. */
  #_(e, t) {
    const n = this.#h?.enrolment;
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
        return n?.progressed(t);
      case "voice.usable":
        return this.#a.learned(), n?.becameUsable(t);
      case "voice.ready":
        return this.#a.learned(), n?.becameReady(t);
      case "voice.rejected":
        return n?.fail(new a("voice_rejected", { detail: t.message }));
    }
  }
  #T({ restored: e, ready: t }) {
    const n = !e && this.#a.losesVoice;
    if (e) this.#i.restored(t.utterances ?? []);
    else {
      this.#i.restored([]);
      for (const [i, r] of this.#a.replay()) this.#l(i, r).catch(() => {
      });
    }
    this.#S(e), this.#E(e ? "connection.back" : "connection.new"), this.emit("reconnected", { restored: e, voiceLost: n });
  }
  /** What was being learned is lost with a connection; a voice that was usable stays as it was. */
  #S(e) {
    if (this.#h === null || this.#h.enrolment.isOver) return;
    const { enrolment: t, fields: n } = this.#h;
    e && t.settle() || this.#l("enrol.start", n).catch((i) => t.fail(i));
  }
  async #k(e) {
    const t = j(await this.#l("voice.save", { name: e }));
    return this.#a.losesVoice && this.#a.asked("voice.use", { voice_id: t.voiceId }), t;
  }
  async #y(e, t) {
    const n = await this.#l(e, t);
    return this.#a.asked(e, t), n;
  }
  async #l(e, t) {
    const n = await this.#o.ask((r) => this.#s.send(e, t, r)), i = wn[e];
    if (i === void 0) return n;
    if (le(i, n) !== "fits") throw new a("bad_answer", { detail: e });
    return this.emit(i, n), n;
  }
  #E(e, t = "") {
    const n = xt(e, t);
    this.emit(e, n), this.emit("notice", n);
  }
  #M() {
    this.#u.abort();
    const e = new a("connection_lost");
    this.#o.lost(), this.#i.close(e), this.#h?.enrolment.fail(e), this.microphone.close(), this.speech.close(), this.#r.close();
  }
}
async function oe(s) {
  try {
    await s;
  } catch (e) {
    throw e instanceof a && e.code === "text_rejected" ? new a("controls_rejected", { detail: e.detail, cause: e }) : e;
  }
}
function j(s) {
  return { voiceId: String(s.voice_id), name: String(s.name) };
}
export {
  yn as CODES,
  Te as LevelMeter,
  pt as RAW_VOICE,
  V as SILENCE_DBFS,
  bn as VoicePeer,
  a as VoicePeerError,
  ve as canChooseOutput,
  Ie as currentLanguage,
  ce as faultOf,
  be as listDevices,
  Me as setLanguage,
  k as textOf
};
