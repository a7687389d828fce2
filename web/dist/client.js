const R = {
  // Refusals of the service.
  unauthorized: ["user", "This service needs a valid access key. Enter it and try again.", "此服务需要有效的访问密钥。请输入密钥后重试。"],
  token_refused: ["service", "The service does not take the access token that this page was given: {detail}", "服务不接受此页面获得的访问令牌：{detail}"],
  token_expired: ["user", "The access token has expired. Get a new one and try again.", "访问令牌已过期。请获取新令牌后重试。"],
  forbidden: ["user", "Your access key does not allow this. Ask whoever gave it to you.", "您的访问密钥没有此权限。请联系密钥的提供者。"],
  origin_not_allowed: ["service", "This page may not use the service: its operator has to allow the page's address.", "此页面不能使用该服务：需要服务管理员允许本页面的地址。"],
  rate_limited: ["user", "That was too much at once. Wait a minute, then try again.", "请求过于频繁。请稍等一分钟后重试。"],
  at_capacity: ["service", "All places are taken at the moment. Try again in a minute.", "目前名额已满。请一分钟后重试。"],
  room_full: ["service", "This room is full at the moment. Try again in a minute.", "此房间目前已满。请一分钟后重试。"],
  room_elsewhere: ["service", "This room is at another service, which could not be gone to: {detail}", "此房间位于另一服务，无法前往：{detail}"],
  store_unavailable: ["service", "The service cannot reach its voices at the moment, and nothing was changed. Try again in a moment.", "服务暂时无法访问声音存储，未作任何更改。请稍后重试。"],
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
  not_in_room: ["user", "You are in no room. Join it first.", "您不在房间中。请先加入。"],
  participant_not_found: ["user", "They are in the room no more.", "此人已不在房间中。"],
  recording_unavailable: ["service", "The service cannot record rooms: its operator has set up no place for recordings.", "此服务无法录音：管理员尚未设置录音存放位置。"],
  not_recording: ["user", "Nothing is being recorded at the moment.", "目前没有录音。"],
  kept_out: ["user", "You were put out of this room a short while ago. Wait a minute, then join it again.", "您刚被请出此房间。请稍等一分钟后再加入。"],
  // Ends of being in a room.
  kicked: ["user", "You were put out of the room. You can come back in a minute.", "您已被请出房间。一分钟后可再次加入。"],
  room_ended: ["user", "The room was ended for everybody.", "房间已被结束。"],
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
}, Ne = {
  rate_limit_exceeded: "rate_limited",
  invalid_api_key: "unauthorized",
  invalid_token: "token_refused"
}, Ls = Object.keys(R);
let me = null;
function Pe(n) {
  me = n;
}
function $e() {
  const n = globalThis.navigator?.language?.toLowerCase() ?? "";
  return me ?? (n.startsWith("zh") ? "zh" : "en");
}
function S(n, e = $e(), t = "") {
  const s = ge(n);
  return s === void 0 ? t || `${S("internal", e)} (${n})` : s[e === "zh" ? 2 : 1].replace("{detail}", () => t);
}
function pe(n) {
  return ge(n)?.[0] ?? "service";
}
function ge(n) {
  const e = Ne[n] ?? n;
  return Object.hasOwn(R, e) ? R[e] : void 0;
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
    super(S(e, void 0, s), "cause" in t ? { cause: t.cause } : void 0), this.code = e, this.detail = s, this.fault = pe(e), this.utteranceId = t.utteranceId;
  }
  /** The message in another language than that of `setLanguage`. */
  in(e) {
    return S(this.code, e, this.detail);
  }
}
function f(n, e = "internal") {
  if (n instanceof a) return n;
  const t = n instanceof Error ? n.message : String(n);
  return new a(e, { detail: t, cause: n });
}
const we = "rtvi-ai", De = "2.1.0", Ue = {
  joined: { session_id: "string", ice_servers: "object[]", resumed: "boolean?", resume_token: "string|null?", restored: "boolean?" },
  answer: { sdp: "string", connection: "string?" },
  candidate: { candidate: "string|null?", sdpMid: "string|null?", sdpMLineIndex: "number|null?", connection: "string?" },
  pong: {},
  bye: { reason: "string" },
  redirect: { url: "string" },
  error: { code: "string", message: "string", fatal: "boolean?" }
}, Be = {
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
  "service.status": { step: "number", steps: "string[]" },
  "room.joined": { participant: "string", manages: "boolean?", records: "boolean?" },
  "room.roster": { participants: "object[]" },
  "room.gone": { participant: "string", reason: "string" },
  "room.speaking": { participants: "string[]" },
  "room.slots": { slots: "object[]" },
  "room.left": { reason: "string" },
  "room.recording": { state: "string", recording_id: "string", by: "string|null?", recorded: "string[]?", answer: "boolean|null?", reason: "string|null?" },
  "room.recording_withdrawn": { recording_id: "string" },
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
function be(n, e) {
  return ve(Be, n, e);
}
function Fe(n, e) {
  return ve(Ue, n, e);
}
function ve(n, e, t) {
  const s = Object.hasOwn(n, e) ? n[e] : void 0;
  return s === void 0 ? "unknown" : W(s, t) ? "fits" : "broken";
}
function W(n, e) {
  return Object.entries(n).every(([t, s]) => We(s, e, t));
}
function We(n, e, t) {
  const s = n.endsWith("?");
  return Object.hasOwn(e, t) ? (s ? n.slice(0, -1) : n).split("|").some((i) => ye(i, e[t])) : s;
}
function ye(n, e) {
  if (n.endsWith("[]")) return Array.isArray(e) && e.every((t) => ye(n.slice(0, -2), t));
  switch (n) {
    case "null":
      return e === null;
    case "object":
      return u(e) !== null;
    case "number":
      return typeof e == "number" && Number.isFinite(e);
    default:
      return typeof e === n;
  }
}
function u(n) {
  return typeof n == "object" && n !== null && !Array.isArray(n) ? n : null;
}
function y(n) {
  if (typeof n != "string") return null;
  try {
    return u(JSON.parse(n));
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
}, G = {
  ...L,
  language: "string",
  voiceId: "string",
  priority: "integer",
  ssml: "boolean",
  visemes: "boolean",
  captions: "boolean",
  interrupt: "boolean"
}, Ve = {
  consent: "string",
  consentVersion: "integer",
  consentId: "string",
  name: "string"
};
function l(n, e) {
  return new a("misuse", { detail: `${n}: ${e}` });
}
function V(n, e, t = "the text") {
  if (typeof e != "string") throw l(n, `${t} has to be a string, not ${b(e)}`);
}
function m(n, e, t = "the text") {
  if (V(n, e, t), e.trim() === "") throw l(n, `${t} is empty`);
}
function g(n, e, t) {
  const s = u(e);
  if (s === null) throw l(n, `settings are an object, not ${b(e)}`);
  for (const [i, r] of Object.entries(s)) {
    const o = Object.hasOwn(t, i) ? t[i] : void 0;
    if (o === void 0) throw l(n, `there is no "${i}", only ${Object.keys(t).join(", ")}`);
    if (r !== void 0 && !ke(o, r)) throw l(n, `"${i}" has to be of type ${o}, not ${b(r)}`);
  }
  return s;
}
function He(n, e) {
  const { consent: t, consentId: s } = g(n, e ?? {}, Ve);
  if (z(t) && z(s))
    throw l(n, 'the speaker has to agree: give their statement as "consent", or "consentId" of one on record');
}
function _e(n, e, t, s) {
  const i = u(e);
  if (i === null || !Object.values(i).every((r) => ke(t, r)))
    throw l(n, `${s} are an object with values of type ${t}`);
}
function qe(n) {
  return typeof n == "object" && n !== null && Symbol.asyncIterator in n;
}
function b(n) {
  return n == null || typeof n == "number" ? String(n) : Array.isArray(n) ? "a list" : `of type ${typeof n}`;
}
function z(n) {
  return n === void 0 || String(n).trim() === "";
}
function ke(n, e) {
  return n === "integer" ? Number.isInteger(e) : n === "number" ? Number.isFinite(e) : typeof e === n;
}
const Ge = { "http:": "http:", "https:": "https:", "ws:": "http:", "wss:": "https:" };
function Te(n, e) {
  const t = n instanceof URL ? n.href : n, s = typeof t == "string" ? Se(t, e) : null, i = Ge[s?.protocol ?? ""];
  if (s === null || i === void 0)
    throw l("new VoicePeer", '"url" has to be the address of the service, of http or https');
  const r = new URL(`${i}${s.href.slice(s.protocol.length)}`);
  return r.search = r.hash = "", r.pathname.endsWith("/") || (r.pathname += "/"), r;
}
function Se(n, e) {
  try {
    return new URL(n, e);
  } catch {
    return null;
  }
}
function ze(n) {
  const e = new URL("ws", n);
  return e.protocol = e.protocol === "https:" ? "wss:" : "ws:", e.hash = e.search = "", e;
}
function Ye(n, e) {
  const t = Se(e, n.href);
  return t?.protocol === "https:" || t?.protocol === "http:" && n.protocol === "http:" ? Te(t, n.href) : null;
}
const Ke = 600, Je = 5e3;
class N {
  #e;
  #t;
  #n = Ke;
  /** Until `budgetMs` after `now` (ms); `random` gives 0 to under 1. */
  constructor(e, t, s = Math.random) {
    this.#e = e + t, this.#t = s;
  }
  /** How long to wait before the next attempt, in ms; `null` when it is time to give up. */
  next(e) {
    if (e >= this.#e) return null;
    const t = this.#n * (0.5 + 0.5 * this.#t());
    return this.#n = Math.min(Je, 2 * this.#n), t;
  }
}
function d() {
  let n;
  const e = new Promise((t, s) => {
    n = { resolve: t, reject: s };
  });
  return e.catch(() => {
  }), { promise: e, ...n };
}
function _(n, e, t) {
  let s;
  const i = new Promise((r, o) => {
    s = setTimeout(() => o(t()), e);
  });
  return Promise.race([n, i]).finally(() => clearTimeout(s));
}
function v(n) {
  return new Promise((e) => {
    setTimeout(e, n);
  });
}
const Xe = /* @__PURE__ */ new Set(
  ["client-ready", "send-text", "disconnect-bot"]
), Qe = {
  "server-response": "answer",
  "error-response": "refusal"
};
function P(n, e, t = "") {
  const s = Xe.has(n);
  return JSON.stringify({
    label: we,
    type: s ? n : "client-message",
    id: t,
    data: s ? e : { t: n, d: e }
  });
}
function Ze(n) {
  const e = y(n);
  if (e === null || e.label !== we) return null;
  const { type: t, id: s } = e, i = u(e.data ?? {});
  if (typeof t != "string" || i === null) return "broken";
  const r = Qe[t] ?? "event", o = t === "server-message" || r === "answer", c = o ? i.t : t, h = o ? u(i.d ?? {}) : i;
  if (typeof c != "string" || h === null) return "broken";
  const k = { kind: r, name: c, id: typeof s == "string" ? s : "", fields: h };
  if (r === "answer") return k;
  const T = be(c, h);
  return T === "fits" ? k : T === "unknown" ? null : "broken";
}
class Ee {
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
        et(i);
      }
  }
}
function et(n) {
  typeof reportError == "function" ? reportError(n) : setTimeout(() => {
    throw n;
  }, 0);
}
function Me() {
  const n = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(n, (e) => e.toString(16).padStart(2, "0")).join("");
}
const tt = {
  idle: { connect: "connecting", ended: "closed" },
  connecting: { established: "connected", lost: "closed", ended: "closed" },
  connected: { media_stopped: "shaky", unreachable: "shaky", lost: "rejoining", ended: "closed" },
  shaky: { media_flows: "connected", lost: "rejoining", ended: "closed" },
  rejoining: { established: "connected", ended: "closed" },
  closed: {}
}, st = {
  idle: "idle",
  connecting: "connecting",
  connected: "connected",
  shaky: "interrupted",
  rejoining: "interrupted",
  closed: "closed"
}, nt = /* @__PURE__ */ new Set([
  "channel_closed",
  "client_vanished",
  "connection_lost",
  "signaling_lost",
  "shutting_down"
]);
function it(n, e) {
  return tt[n][e] ?? n;
}
function rt(n) {
  return st[n];
}
function ot(n) {
  return nt.has(n);
}
const at = 1e4, ct = 4e3;
class ht {
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
    return e - this.#t > ct && (this.#e = e), this.#t = e, e - this.#e > at;
  }
}
const lt = 15e3, ut = 1e3;
class dt {
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
    return _(this.#c(), lt, e);
  }
  /** Take what the service says on the socket about this link. */
  signal(e) {
    e.type === "answer" ? this.#s.resolve(e.sdp) : e.type === "candidate" ? this.#l(e) : e.type === "error" ? this.fail(new a(e.code, { detail: e.message })) : e.type === "bye" && this.fail(new a(e.reason));
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
  async #c() {
    const e = await this.pc.createOffer();
    return this.#n.send({ type: "offer", sdp: e.sdp ?? "" }), await this.pc.setLocalDescription(e), await this.pc.setRemoteDescription({ type: "answer", sdp: await this.#s.promise }), this.#r.promise;
  }
  #l(e) {
    this.#s.promise.then(() => this.pc.addIceCandidate(Ie(e))).catch(() => {
    });
  }
  #h() {
    this.pc.addEventListener("track", ({ track: e }) => {
      this.#o || this.#n.listener.track(e);
    }), this.pc.addEventListener("icecandidate", ({ candidate: e }) => this.#n.send({ type: "candidate", ...e?.toJSON() })), this.pc.addEventListener("connectionstatechange", () => this.#p()), this.#e.addEventListener("open", () => this.#a()), this.#e.addEventListener("message", ({ data: e }) => this.#d(e)), this.#e.addEventListener("close", () => this.#m("channel_closed"));
  }
  #a() {
    const e = { library: "@voicepeer/client", platform: "browser" };
    this.send(P("client-ready", { version: De, about: e, rtvi_events: !1 }));
    const t = new ht(performance.now());
    this.#e.addEventListener("message", () => t.heard(performance.now())), this.#i = setInterval(() => {
      this.send(P("ping", { sent_ms: performance.now() })), t.lost(performance.now()) && this.#m("connection_lost");
    }, ut);
  }
  #d(e) {
    const t = Ze(e);
    if (!(t === null || this.#o)) {
      if (t === "broken") return this.#n.listener.broken();
      t.name === "bot-ready" && this.#r.resolve(t.fields), this.#n.listener.message(t);
    }
  }
  #p() {
    if (this.#o) return;
    const e = this.pc.connectionState;
    e === "failed" || e === "closed" ? this.#m("connection_lost") : (e === "disconnected" || e === "connected") && this.#n.listener.flows(e === "connected");
  }
  #m(e) {
    this.#o || (this.close(), this.#n.listener.lost(e));
  }
}
function Ie({ candidate: n, sdpMid: e, sdpMLineIndex: t }) {
  return { candidate: n ?? "", sdpMid: e ?? null, sdpMLineIndex: t ?? null };
}
const ft = 1e4, mt = 15e3, pt = 3e3;
class E {
  /** Which one it leads to, after redirects. */
  service;
  #e;
  #t;
  #n;
  #s = !1;
  constructor(e, t, s) {
    this.#e = e, this.service = t, this.#t = s, e.addEventListener("close", () => this.#o());
  }
  /**
   * Open a socket and join, at another service where this one says that it has the room.
   *
   * Rejects with a `VoicePeerError`: `unreachable`, the code with which the service refuses, or
   * `room_elsewhere` after so many `redirects`; its `detail` is the other service's address.
   */
  static async join(e, t, s, i) {
    const r = new WebSocket(ze(e)), o = () => new a("unreachable");
    try {
      const c = await _(gt(r, t), ft, o);
      if (c.type === "joined") return [new E(r, e, s).#i(), c];
      const h = Ye(e, c.url);
      if (i === 0 || h === null) throw new a("room_elsewhere", { detail: c.url });
      return r.close(), await E.join(h, t, s, i - 1);
    } catch (c) {
      throw r.close(), c;
    }
  }
  /** Send, unless the socket is closed; whether it was not. */
  send(e) {
    const t = this.#e.readyState === WebSocket.OPEN;
    return t && this.#e.send(JSON.stringify(e)), t;
  }
  /** End the session. */
  leave() {
    this.send({ type: "leave" }), this.#r(1e3);
  }
  /** Close without ending the session; the listener hears no more. */
  drop() {
    this.#r(pt);
  }
  #r(e) {
    this.#s || (this.#s = !0, clearInterval(this.#n), this.#e.close(e));
  }
  #i() {
    return this.#n = setInterval(() => this.send({ type: "ping" }), mt), this.#e.addEventListener("message", ({ data: e }) => {
      const t = Oe(e);
      t !== null && !this.#s && this.#t.signal(t);
    }), this;
  }
  #o() {
    clearInterval(this.#n), this.#s || this.#t.gone();
  }
}
function Oe(n) {
  const e = y(n), t = e?.type;
  return e === null || typeof t != "string" || Fe(t, e) !== "fits" ? null : e;
}
function gt(n, e) {
  return new Promise((t, s) => {
    n.addEventListener("open", () => n.send(JSON.stringify(e)), { once: !0 });
    for (const i of ["error", "close"])
      n.addEventListener(i, () => s(new a("unreachable")), { once: !0 });
    n.addEventListener("message", ({ data: i }) => {
      const r = Oe(i);
      r?.type === "joined" || r?.type === "redirect" ? t(r) : r?.type === "error" ? s(new a(r.code, { detail: r.message })) : r?.type === "bye" ? s(new a(r.reason)) : s(new a("unreachable"));
    }, { once: !0 });
  });
}
const wt = 6e4, bt = 4e3, vt = 2e3, yt = 5e3, _t = 5, kt = 200, Tt = /* @__PURE__ */ new Set([
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
class St extends Ee {
  #e;
  #t;
  #n = "idle";
  #s = null;
  #r = null;
  #i;
  #o = "";
  #c;
  #l = {};
  #h = [];
  /** The session was lost for good since there was a connection. */
  #a = !1;
  #d = 0;
  #p = 0;
  constructor(e) {
    super(), this.#e = e, this.#c = e.url, this.#t = e.resume?.clientId ?? Me(), this.#i = e.resume?.token ?? null;
  }
  get state() {
    return rt(this.#n);
  }
  /** Of the call in the service's log and API; empty before the first connection. */
  get sessionId() {
    return this.#o;
  }
  get pc() {
    return this.#r?.pc ?? null;
  }
  /** The service that has the session; another one than was named where that has the room. */
  get service() {
    return this.#c;
  }
  /** For further connections to the same session. */
  get rtc() {
    return this.#l;
  }
  /** Send on the socket; whether there is one. */
  signal(e) {
    return this.#s?.send(e) ?? !1;
  }
  /** Connect; rejects with a `VoicePeerError`. `restored` where an earlier session goes on. */
  async open() {
    if (this.#n !== "idle") throw new a("call_over");
    this.#_("connect");
    try {
      const e = await this.#m();
      return this.#E(), e;
    } catch (e) {
      throw this.#s?.leave(), this.#T("ended"), f(e);
    }
  }
  /** Send a message, at once or when the connection is back. Throws `not_connected` where there is none. */
  send(e, t, s) {
    const i = P(e, t, s);
    if (this.#n === "rejoining" && this.#h.length < kt) this.#h.push(i);
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
    this.#s?.leave(), this.#g("client_left");
  }
  /** Let go without ending the session, which the service keeps for whoever resumes it. */
  detach() {
    this.#T("ended");
  }
  // --- once ---------------------------------------------------------------------------------
  /** Make a connection, in the session that was just joined or in one that is joined for it. */
  async #m(e) {
    const t = e ?? await this.#b({ resume_token: this.#i });
    if (t.restored || (this.#a = !0), this.#n === "closed") throw new a("client_left");
    this.#r?.close(), this.#l = { iceServers: t.ice_servers, ...this.#e.rtc };
    const s = new dt({
      rtc: this.#l,
      microphone: this.#e.microphone(),
      send: (r) => void this.signal(r),
      listener: {
        track: (r) => this.emit("track", r),
        message: (r) => this.emit("message", r),
        broken: () => this.emit("broken", void 0),
        flows: (r) => this.#_(r ? "media_flows" : "media_stopped"),
        lost: (r) => this.#y(r)
      }
    });
    this.#r = s;
    const i = await s.connect();
    return { restored: !this.#a, ready: i };
  }
  async #b(e) {
    const { room: t, name: s } = this.#e, i = await this.#e.token(), r = { type: "join", room: t, name: s, token: i, client_id: this.#t, ...e }, [o, c] = await E.join(this.#e.url, r, {
      signal: (h) => this.#v(h),
      gone: () => this.#w()
    }, this.#e.redirects).catch((h) => {
      throw this.#e.refusal(f(h));
    });
    if (this.#n === "closed")
      throw o.leave(), new a("client_left");
    return this.#s?.drop(), this.#s = o, this.#c = o.service, this.#o = c.session_id, this.#i = c.resume_token ?? null, this.#i && this.emit("resumption", { token: this.#i, clientId: this.#t }), c;
  }
  #v(e) {
    if ("connection" in e && e.connection === "room") return this.emit("ears", e);
    this.#r?.signal(e);
    const t = this.#n === "connected" || this.#n === "shaky";
    e.type === "error" && t && this.emit("refused", new a(e.code, { detail: e.message })), !(e.type !== "bye" || this.#n === "connecting") && (ot(e.reason) ? this.#y(e.reason) : this.#g(e.reason));
  }
  // --- again --------------------------------------------------------------------------------
  #w() {
    this.#s = null, this.#r?.fail(new a("connection_lost")), (this.#n === "connected" || this.#n === "shaky") && this.#u();
  }
  /** Media flows without the socket; win it back before the service's grace is over. */
  async #u() {
    const e = new N(performance.now(), bt), t = setTimeout(() => this.#_("unreachable"), vt);
    for (let s = e.next(performance.now()); s !== null; s = e.next(performance.now())) {
      if (await v(s), this.#s !== null || !["connected", "shaky"].includes(this.#n)) return clearTimeout(t);
      try {
        const i = await this.#b({ resume: !0, resume_token: this.#i });
        return clearTimeout(t), this.#f(i);
      } catch (i) {
        if (!Y(i)) break;
        this.#_("unreachable");
      }
    }
    clearTimeout(t), this.#y("signaling_lost");
  }
  #f(e) {
    e.resumed ? this.pc?.connectionState === "connected" && this.#_("media_flows") : this.#y("signaling_lost", e);
  }
  /** The connection is gone: make a new one on which the session goes on, or end. */
  #y(e, t) {
    if (this.#n !== "connected" && this.#n !== "shaky") return;
    const s = performance.now() - this.#d < yt;
    this.#p = s ? this.#p + 1 : 0, this.#p > _t ? this.#g(e) : (this.#_("lost"), this.emit("lost", void 0), this.#M(e, t));
  }
  async #M(e, t) {
    if (this.#a = !1, t !== void 0 && await this.#S(t) !== "again") return;
    const s = new N(performance.now(), wt);
    for (let i = s.next(performance.now()); i !== null; i = s.next(performance.now()))
      if (await v(i), this.#k(), this.#n !== "rejoining" || await this.#S() !== "again") return;
    this.#g(e);
  }
  /** One attempt. */
  async #S(e) {
    try {
      const t = await this.#m(e);
      return this.#E(), this.emit("reconnected", t), this.#I(), "done";
    } catch (t) {
      if (Y(t)) return "again";
      const { code: s, detail: i } = f(t);
      return this.#g(s, i), "over";
    }
  }
  #I() {
    const e = this.#h;
    this.#h = [];
    for (const t of e) this.#r?.send(t);
  }
  // --- over ---------------------------------------------------------------------------------
  #E() {
    this.#d = performance.now(), this.#_("established");
  }
  /** Let go of what is left of a connection; the session is kept for us. */
  #k() {
    this.#r?.close(), this.#s?.drop(), this.#r = this.#s = null;
  }
  #g(e, t = "") {
    if (this.#n === "closed") return;
    const s = this.#n !== "connecting" && this.#n !== "idle";
    this.#T("ended"), s && this.emit("ended", new a(e, { detail: t }));
  }
  #T(e) {
    this.#h = [], this.#k(), this.#_(e);
  }
  #_(e) {
    const t = this.state;
    this.#n = it(this.#n, e), this.state !== t && this.emit("state", this.state);
  }
}
function Y(n) {
  return Tt.has(f(n).code);
}
const Et = {
  echoCancellation: !0,
  noiseSuppression: !1,
  autoGainControl: !1,
  channelCount: 1
};
async function je() {
  const n = await navigator.mediaDevices?.enumerateDevices() ?? [], e = (t) => n.filter((s) => s.kind === t && s.deviceId !== "").map(
    ({ deviceId: s, label: i }) => ({ id: s, label: i })
  );
  return { microphones: e("audioinput"), outputs: e("audiooutput"), canChooseOutput: xe() };
}
function xe() {
  return typeof HTMLMediaElement < "u" && "setSinkId" in HTMLMediaElement.prototype;
}
async function K(n) {
  const e = n === null ? {} : { deviceId: { exact: n } };
  return (await navigator.mediaDevices.getUserMedia({ audio: { ...Et, ...e } })).getAudioTracks()[0];
}
class Ae {
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
class Mt {
  #e = new Ae();
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
    const { heard_s: t, needed_s: s, quality: i } = e, r = s > 0 ? Math.min(1, t / s) : 0, [o, c, h] = [e.hint ?? null, e.hint_code ?? null, e.snr_db ?? null];
    this.#e.push({ heardS: t, neededS: s, share: r, quality: i, snrDb: h, hint: o, hintCode: c });
  }
  /** @internal */
  becameUsable(e) {
    this.#i = It(e), this.#t.resolve(this.#i);
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
function It(n) {
  return { voiceId: n.voice_id, heardS: n.heard_s, quality: n.quality, elapsedMs: n.elapsed_ms };
}
const Ot = 3e4;
function jt(n) {
  return { body: JSON.stringify(n), headers: { "Content-Type": "application/json" } };
}
class J {
  #e;
  #t;
  constructor(e, t) {
    this.#e = e, this.#t = t;
  }
  /** The JSON object of a shape that a request is answered with; rejects with a `VoicePeerError`. */
  async json(e, t, s, i = {}) {
    const r = y(await (await this.request(e, t, i)).text());
    if (r === null || !W(s, r)) throw new a("bad_answer", { detail: t });
    return r;
  }
  /** An answer of 2xx; rejects with a `VoicePeerError` otherwise. */
  async request(e, t, s = {}) {
    const i = new Headers(s.headers), r = await this.#t();
    r && i.set("Authorization", `Bearer ${r}`);
    const o = AbortSignal.timeout(Ot);
    let c;
    try {
      c = await fetch(new URL(t, this.#e()), { cache: "no-store", signal: o, ...s, method: e, headers: i });
    } catch (h) {
      throw f(h, o.aborted ? "timeout" : "unreachable");
    }
    if (!c.ok) throw await xt(c);
    return c;
  }
}
async function xt(n) {
  const e = u(y(await n.text().catch(() => ""))?.error), { code: t = n.status === 401 ? "unauthorized" : "internal", message: s = n.statusText } = e ?? {};
  return new a(String(t), { detail: String(s) });
}
class At {
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
const H = -120;
function Ce(n) {
  let e = 0;
  for (const t of n) e += t * t;
  return Math.max(H, 10 * Math.log10(e / Math.max(1, n.length) + 1e-12));
}
class Re {
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
    return Ce(this.samples());
  }
  /** Stop listening. */
  close() {
    this.#e.disconnect(this.#t);
  }
}
const Ct = 2e3;
class Rt {
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
    return this.#e ??= t, this.#t || t - this.#e < Ct ? null : (this.#t = !0, "silent");
  }
  /** Forget what was seen, for another microphone. */
  reset() {
    this.#e = null, this.#t = !1;
  }
}
const Lt = 400, Nt = 32768, Pt = {
  NotAllowedError: ["denied", "microphone.denied"],
  SecurityError: ["denied", "microphone.denied"],
  NotFoundError: ["missing", "microphone.missing"],
  OverconstrainedError: ["missing", "microphone.missing"],
  NotReadableError: ["busy", "microphone.busy"],
  AbortError: ["busy", "microphone.busy"]
};
class $t {
  #e;
  #t = new Rt();
  #n = "off";
  #s = null;
  #r = !0;
  #i = null;
  #o = null;
  #c;
  #l = !1;
  #h = !1;
  #a = null;
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
    return this.#o?.dbfs() ?? H;
  }
  /** Whether silence is sent in place of what is said. */
  get muted() {
    return this.#l;
  }
  set muted(e) {
    this.#l = e, this.#s && (this.#s.enabled = !e), this.#t.reset();
  }
  /**
   * Turn it on, or change to another device. Whether it is on then: where not, a notice tells why,
   * and the call goes on listening.
   */
  async start(e = this.#i) {
    if (this.#i = e, !navigator.mediaDevices?.getUserMedia) return this.#u("denied", "page.insecure");
    try {
      return await this.#d(await X(e), !0), this.#s !== null;
    } catch (t) {
      const [s, i] = Pt[t?.name] ?? ["busy", "microphone.busy"];
      return this.#u(s, i);
    }
  }
  /** Send a track of the application's own; it is never stopped here. */
  async use(e) {
    await this.#d(e, !1);
  }
  /** Turn it off. */
  async stop() {
    this.#y(), this.#f("off"), await this.#e.send(null);
  }
  /** Devices have come or gone: take the wanted one if it is back, any if there was none. */
  async devicesChanged() {
    if (["off", "denied"].includes(this.#n) || !this.#r) return;
    const { microphones: e } = await je();
    if (this.#n === "on") {
      if (!e.some(({ id: s }) => s === this.#i) || this.device?.id === this.#i) return;
    } else if (e.length === 0) return;
    await this.#v();
  }
  /** Let go of the device. */
  close() {
    this.#h = !0, this.#y(), this.#n = "off";
  }
  async #d(e, t) {
    if (this.#h) {
      t && e.stop();
      return;
    }
    this.#y(), this.#s = e, this.#r = t, e.enabled = !this.#l, e.addEventListener("ended", () => {
      e === this.#s && this.#b();
    }), this.#f("on"), this.#p(e), await this.#e.send(e);
  }
  #p(e) {
    const t = this.#e.context();
    if (t !== null) {
      try {
        this.#o = new Re(t.createMediaStreamSource(new MediaStream([e])), Nt);
      } catch {
        return;
      }
      this.#c = setInterval(() => this.#m(t, e), Lt);
    }
  }
  #m(e, t) {
    if (this.#l || e.state !== "running" && !t.muted) return this.#t.reset();
    const s = t.muted || !(this.#o?.samples().some((r) => r !== 0) ?? !0), i = this.#t.look(s, performance.now());
    i !== null && this.#e.notify(`microphone.${i}`);
  }
  async #b() {
    const e = this.#r;
    this.#y(), this.#f("lost"), (!e || !await this.#v()) && (await this.#e.send(null), this.#e.notify("microphone.lost"));
  }
  /** Once at a time, whatever tells first: the end of a track, or the devices that are there. */
  #v() {
    return this.#a ??= this.#w().finally(() => {
      this.#a = null;
    }), this.#a;
  }
  /** Quietly: what is missing was told of already. */
  async #w() {
    try {
      await this.#d(await X(this.#i), !0);
    } catch {
      return !1;
    }
    return this.#s === null ? !1 : (this.#e.notify("microphone.changed", this.#s.label), !0);
  }
  #u(e, t) {
    return this.#n !== "on" && this.#f(e), this.#e.notify(t), !1;
  }
  #f(e) {
    e !== this.#n && (this.#n = e, this.#e.changed(e));
  }
  #y() {
    clearInterval(this.#c), this.#t.reset(), this.#o?.close(), this.#o = null;
    const e = this.#s;
    this.#s = null, this.#r && e?.stop();
  }
}
async function X(n) {
  try {
    return await K(n);
  } catch (e) {
    const t = ["OverconstrainedError", "NotFoundError"].includes(e?.name);
    if (n === null || !t) throw e;
    return K(null);
  }
}
function Dt(n, e) {
  return { code: n, message: S(n, void 0, e), fault: pe(n), detail: e };
}
const Ut = 75e3;
class Bt {
  #e = /* @__PURE__ */ new Map();
  #t = 0;
  /** Ask by `send`, which is given the id to ask under. Rejects with a `VoicePeerError`. */
  async ask(e) {
    this.#t += 1;
    const t = `r${this.#t}`, s = d(), i = setTimeout(() => this.#n(t)?.reject(new a("timeout")), Ut);
    this.#e.set(t, { answer: s, timer: i });
    try {
      e(t);
    } catch (r) {
      this.#n(t)?.reject(r);
    }
    return s.promise;
  }
  /** Take an answer or a refusal; whether somebody waited for it. */
  take({ id: e, kind: t, fields: s }) {
    const i = this.#n(e);
    return t === "answer" ? i?.resolve(s) : i?.reject($(s)), i !== void 0;
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
function $(n) {
  const { error: e, code: t, utterance_id: s } = n;
  return new a(typeof t == "string" ? t : "internal", {
    detail: typeof e == "string" ? e : "",
    utteranceId: typeof s == "string" ? s : void 0
  });
}
const Ft = 15e3, Wt = 6e4, Vt = /* @__PURE__ */ new Set(["no_connection", "unreachable", "connection_lost", "timeout"]);
class Ht {
  #e;
  #t = /* @__PURE__ */ new Map();
  #n = /* @__PURE__ */ new Map();
  #s = null;
  #r = null;
  #i = Promise.resolve();
  #o = 0;
  #c = !0;
  #l = 60;
  constructor(e) {
    this.#e = e;
  }
  /** What comes in a section, by its `mid`. */
  track(e) {
    return this.#n.get(e) ?? null;
  }
  /** Whether it is heard here. */
  get audible() {
    return this.#c;
  }
  set audible(e) {
    this.#c = e;
    for (const t of this.#t.values()) t.muted = !e;
  }
  /** How long to hold sound back at least, so that packets that come late are still in time. */
  get bufferMs() {
    return this.#l;
  }
  set bufferMs(e) {
    this.#l = e;
    for (const { receiver: t } of this.#s?.getTransceivers() ?? []) Z(t, e);
  }
  /** Hear so many at once, over the connection that there is or over a new one. */
  open(e) {
    const t = this.#s, s = e - this.#o;
    t === null ? (this.#o = e, e > 0 && this.#h(this.#d())) : s > 0 && (this.#o = e, this.#p(t, s), Q(this.#v(t)).catch(() => this.#m(t)));
  }
  /** Hear nobody any more. */
  close() {
    const e = this.#s;
    this.#s = null, this.#r?.reject(new a("connection_lost")), e?.close();
    for (const t of this.#t.values()) this.#e.stop(t);
    this.#t.clear(), this.#n.clear();
  }
  /** Take what the service says on the socket about this connection. */
  signal(e) {
    e.type === "answer" ? this.#r?.resolve(e.sdp) : e.type === "candidate" && this.#s?.addIceCandidate(Ie(e)).catch(() => {
    });
  }
  /** Whether a refusal, which does not say of what, is of the offer that waits for its answer. */
  refused(e) {
    const t = this.#r;
    return this.#r = null, t?.reject(e), t !== null;
  }
  // --- inside -------------------------------------------------------------------------------
  async #h(e) {
    const t = new N(performance.now(), Wt);
    for (let s = e; ; )
      try {
        return await Q(this.#b(s));
      } catch (i) {
        if (s !== this.#s) return;
        const r = f(i), o = Vt.has(r.code) ? t.next(performance.now()) : null;
        if (o === null) return this.#a(r);
        if (await v(o), s !== this.#s) return;
        this.close(), s = this.#d();
      }
  }
  #a(e) {
    this.close(), this.#e.failed(e);
  }
  #d() {
    const e = this.#s = new RTCPeerConnection({ bundlePolicy: "max-bundle", ...this.#e.rtc() });
    return e.addEventListener("track", ({ track: t, transceiver: { mid: s } }) => {
      e === this.#s && this.#u(String(s), t);
    }), e.addEventListener("icecandidate", ({ candidate: t }) => this.#e.send(
      { type: "candidate", ...t?.toJSON(), connection: "room" }
    )), this.#p(e, this.#o), e;
  }
  #p(e, t) {
    for (let s = 0; s < t; s += 1)
      Z(e.addTransceiver("audio", { direction: "recvonly" }).receiver, this.#l);
  }
  #m(e) {
    e === this.#s && (this.close(), this.open(this.#o));
  }
  async #b(e) {
    let t = !1;
    const s = d();
    e.addEventListener("connectionstatechange", () => {
      e.connectionState === "connected" ? (t = !0, s.resolve()) : e.connectionState === "failed" && (t ? this.#m(e) : s.reject(new a("no_connection")));
    }), await this.#v(e), await s.promise;
  }
  /** One offer after the other: an answer does not say which one it is for. */
  #v(e) {
    const t = this.#i.then(() => this.#w(e));
    return this.#i = t.catch(() => {
    }), t;
  }
  async #w(e) {
    const t = this.#r = d(), s = await e.createOffer();
    if (!this.#e.send({ type: "offer", sdp: s.sdp ?? "", connection: "room" })) throw new a("unreachable");
    await e.setLocalDescription(s);
    const i = await t.promise;
    this.#r = null, await e.setRemoteDescription({ type: "answer", sdp: i });
  }
  #u(e, t) {
    this.#n.set(e, t);
    const s = document.createElement("audio");
    s.muted = !this.#c, s.srcObject = new MediaStream([t]), this.#t.set(e, s), this.#e.play(s), this.#e.changed();
  }
}
function Q(n) {
  return _(n, Ft, () => new a("no_connection"));
}
function Z(n, e) {
  "jitterBufferTarget" in n && (n.jitterBufferTarget = e);
}
const qt = { publish: "string", name: "string", voices: "integer", audible: "boolean", bufferMs: "integer" }, ee = ["mic", "voice", "nothing"], te = 16, se = 4e3;
class Gt {
  #e;
  #t;
  #n = /* @__PURE__ */ new Map();
  /** Of the sections, by whom they bring. */
  #s = /* @__PURE__ */ new Map();
  #r = [];
  #i = null;
  #o = !1;
  #c = !1;
  #l = null;
  #h = 8;
  /** What was asked for, to be in the room again in another session; `null` outside. */
  #a = null;
  constructor(e) {
    this.#e = e, this.#t = new Ht({ ...e, changed: () => this.#u() });
  }
  /** Who is there, and how. */
  get view() {
    const e = [...this.#n.values()].map(({ participant: t, name: s, publish: i, muted: r }) => ({
      id: t,
      name: s,
      publish: i,
      muted: r,
      speaking: this.#r.includes(t),
      isMe: t === this.#i,
      track: this.#t.track(this.#s.get(t) ?? "")
    }));
    return { joined: this.#i !== null, manages: this.#o, records: this.#c, recording: this.#l, participants: e };
  }
  /** Yourself, where you are in the room. */
  get me() {
    return this.view.participants.find(({ isMe: e }) => e) ?? null;
  }
  /**
   * Let the others hear you, and hear them; the event `room` tells of every change. Inside, it changes
   * what is given here, and nothing else. After a lost connection you are in it again by yourself, muted if you were.
   */
  async join(e = {}) {
    const t = this.#a, {
      publish: s = t?.publish ?? "mic",
      name: i = t?.name,
      voices: r = this.#h,
      audible: o = this.#t.audible,
      bufferMs: c = this.#t.bufferMs
    } = g("room.join", e, qt);
    if (ne("room.join", s), r < 0 || r > te) throw l("room.join", `"voices" is 0 to ${te}`);
    if (c < 0 || c > se) throw l("room.join", `"bufferMs" is 0 to ${se}`);
    this.#a = { publish: s, ...i !== void 0 && { name: i } }, this.#h = r, this.#t.audible = o, this.#t.bufferMs = c;
    try {
      await this.#e.ask("room.join", this.#a);
    } catch (h) {
      throw this.#a = t, h;
    }
  }
  /** Leave it; the call goes on. */
  async leave() {
    await this.#e.ask("room.leave", {});
  }
  /** Let the others hear something else. */
  async publish(e) {
    ne("room.publish", e), await this.#e.ask("room.publish", { publish: e }), this.#a !== null && (this.#a.publish = e);
  }
  /**
   * Let the others hear nothing of you, or hear you again; the service still does. With the right to
   * manage, another one can be muted, which only they themselves can end.
   */
  async mute(e, t) {
    await this.#e.ask("room.mute", { muted: e, ...t !== void 0 && { participant: t } });
  }
  /** Put somebody out for a while, with the right to manage. */
  async kick(e) {
    await this.#e.ask("room.kick", { participant: e });
  }
  /** Put everybody out, with the right to manage. */
  async end() {
    await this.#e.ask("room.end", {});
  }
  /** Ask everybody for a recording, or end it, where `records` says that you may. */
  async record(e = !0) {
    await this.#e.ask("room.record", { on: e });
  }
  /**
   * Say whether your user may be recorded, from now on or no longer. What was recorded of them is deleted
   * when they no longer agree, unless they let the service `keep` it.
   */
  async agreeToRecording(e, { keep: t = !1 } = {}) {
    await this.#e.ask("room.consent_recording", { agree: e, ...t && { keep: t } });
  }
  /**
   * Have what was recorded of your user deleted, also when the recording has ended: by its `id`, from the
   * same call or another one of the same subject.
   */
  async withdrawFromRecording(e) {
    await this.#e.ask("room.withdraw_recording", { recording_id: e });
  }
  // --- for the call -------------------------------------------------------------------------
  /** @internal What the service says of the room. */
  hear(e, t) {
    switch (e) {
      case "room.joined":
        return this.#d(t);
      case "room.roster":
        return this.#p(t.participants);
      case "room.gone":
        return this.#b(t.participant);
      case "room.speaking":
        return this.#r = t.participants, this.#u();
      case "room.slots":
        return this.#s = new Map(t.slots.map(({ mid: s, participant: i }) => [i ?? "", s])), this.#u();
      case "room.recording":
        return this.#v(t);
      case "room.left":
        return this.#w();
    }
  }
  /** @internal */
  get ears() {
    return this.#t;
  }
  /** @internal The connection of the call is gone, and with it that of the room. */
  lost() {
    this.#t.close(), this.#s.clear(), this.#r = [], this.#i !== null && this.#u();
  }
  /** @internal The call has a new session, which is in no room: be there as in the one before. */
  async joinAgain() {
    if (this.#a === null) return;
    const { ...e } = this.#a, t = this.me?.muted ?? !1;
    try {
      if (await this.#e.ask("room.join", { ...e, ...t && { publish: "nothing" } }), !t) return;
      await this.mute(!0), await this.publish(e.publish);
    } catch (s) {
      throw this.#w(), s;
    }
  }
  /** @internal */
  close() {
    this.#a = null, this.#w();
  }
  #d({ participant: e, manages: t = !1, records: s = !1 }) {
    this.#n.clear(), this.#i = e, this.#o = t, this.#c = s, this.#l = null, this.#a ??= { publish: "mic" }, this.#m();
  }
  #p(e) {
    for (const s of e) this.#n.set(s.participant, s);
    const t = this.#n.get(this.#i ?? "");
    t !== void 0 && this.#a !== null && (this.#a.publish = t.publish), this.#m(), this.#u();
  }
  /** Browsers work for each section, whoever is in it: have one for each of the others, and some to spare. */
  #m() {
    const e = [...this.#n.values()].filter(({ participant: s, publish: i }) => s !== this.#i && i !== "nothing"), t = 2 ** Math.ceil(Math.log2(Math.max(1, e.length)));
    this.#t.open(Math.min(this.#h, t));
  }
  #b(e) {
    this.#n.delete(e), this.#u();
  }
  #v({ state: e, recording_id: t, by: s = null, recorded: i = [], answer: r = null }) {
    this.#l = e === "off" ? null : { id: t, state: e, by: s, recorded: i, answer: r }, this.#u();
  }
  #w() {
    const e = this.#i !== null;
    this.#a = this.#i = this.#l = null, this.#o = this.#c = !1, this.#n.clear(), this.lost(), e && this.#u();
  }
  #u() {
    this.#e.changed(this.view);
  }
}
function ne(n, e) {
  if (!ee.includes(e)) throw l(n, `"publish" is one of ${ee.join(", ")}`);
}
const zt = ["pointerdown", "keydown", "touchend"];
class Yt {
  /** `null` where the browser has no Web Audio. */
  context;
  #e;
  #t = new AbortController();
  #n = [];
  #s = null;
  #r = !1;
  #i = !1;
  /** Make it in a click or key press where there is one: then nothing is blocked. */
  constructor(e) {
    this.#e = e, this.context = Kt();
    const { signal: t } = this.#t;
    this.context?.addEventListener("statechange", () => this.#o(), { signal: t }), document.addEventListener("visibilitychange", () => {
      !document.hidden && this.#i && this.resume();
    }, { signal: t });
    for (const s of zt)
      document.addEventListener(s, () => {
        this.#r && this.resume();
      }, { signal: t, capture: !0 });
  }
  /** Play an element's sound; from now on it matters whether that is allowed. */
  async play(e) {
    this.#n = [...this.#n.filter((t) => t !== e), e], this.#i = !0, this.#s !== null && ie(e, this.#s), await this.resume();
  }
  /** Do not play it any more. */
  stop(e) {
    this.#n = this.#n.filter((t) => t !== e), e.srcObject = null;
  }
  /** Play everything else through the output that `leader` has taken, also what comes later. */
  follow(e, t) {
    this.#s = t;
    for (const s of this.#n) s !== e && ie(s, t);
  }
  /** Try to play; by a click or key press on the page this happens by itself. Whether there is sound. */
  async resume() {
    this.context?.resume().catch(() => {
    });
    const t = (await Promise.allSettled(this.#n.map((s) => s.play()))).some((s) => s.status === "rejected" && s.reason?.name === "NotAllowedError");
    return this.#o(t);
  }
  /** Stop; the page may make another one. */
  close() {
    this.#t.abort();
    for (const e of this.#n) e.srcObject = null;
    this.#n = [], this.context?.close().catch(() => {
    });
  }
  #o(e = !1) {
    const t = this.context?.state ?? "running", s = e || t === "suspended" || t === "interrupted";
    return !this.#i || s === this.#r || (this.#r = s, this.#e(s ? t === "interrupted" ? "audio.interrupted" : "audio.blocked" : "audio.resumed")), !s;
  }
}
function ie(n, e) {
  n.setSinkId(e).catch(() => {
  });
}
function Kt() {
  const n = globalThis, e = n.AudioContext ?? n.webkitAudioContext;
  return e ? new e({ latencyHint: "interactive" }) : null;
}
const Jt = -50, re = 2, oe = 30;
function Le(n, e, t) {
  const s = Math.max(1, Math.round(re * e / 1e3));
  let i = t ? oe : 0;
  for (let r = 0; r + s <= n.length; r += s)
    if (Ce(n.subarray(r, r + s)) <= Jt) i += re;
    else {
      if (i >= oe) return r;
      i = 0;
    }
  return -1;
}
function ae(n, e) {
  return Le(n, e, !0) < 0;
}
class Xt {
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
const D = 2e3;
function* Qt(n) {
  const e = Array.from(n);
  for (let t = 0; t < e.length; t += D)
    yield e.slice(t, t + D).join("");
}
function Zt(n) {
  return n.length <= D;
}
class es {
  #e = 0;
  #t = 0;
  /** The offset of code point `point` in `text`, at most its length. */
  unitOf(e, t) {
    for (t < this.#e && (this.#e = this.#t = 0); this.#e < t && this.#t < e.length; )
      this.#t += e.codePointAt(this.#t) > 65535 ? 2 : 1, this.#e += 1;
    return this.#t;
  }
}
const ts = 20;
class ss {
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
    }, ts));
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
class ns {
  id;
  /** When its first text was sent, by `performance.now()`. */
  sentAt;
  #e;
  #t = d();
  #n = d();
  #s = new Ae();
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
    return V("append", e), this.#r += e, this.#e.append(this, e), this;
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
const is = {
  voiceId: "voice_id",
  pitchSemitones: "pitch_semitones",
  emotionStrength: "emotion_strength"
};
function M(n) {
  const e = {};
  for (const [t, s] of Object.entries(n))
    s !== void 0 && (e[is[t] ?? t] = s);
  return e;
}
const rs = 256e3, ce = 40, os = 800;
class as {
  #e;
  #t = /* @__PURE__ */ new Map();
  #n = new Xt();
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
    if (g("speak", t, G), qe(e)) return this.#p(e, t);
    m("speak", e);
    const s = this.#o(t, e), { id: i } = s.utterance;
    return Zt(e) ? (s.opened = !0, this.#d(s, () => this.#e.send("utterance.speak", { ...M(t), utterance_id: i, text: e }))) : this.#d(s, () => {
      this.#h(s, e), this.#e.send("utterance.end", { utterance_id: i });
    }), s.utterance;
  }
  /** An utterance to `append` to; it exists for the service with its first text. */
  open(e) {
    return g("open", e, G), this.#o(e, "").utterance;
  }
  /** The connection is lost, and the service may have forgotten what it was told on it. */
  interrupted() {
    for (const e of this.#t.values()) e.doubtful = e.opened;
  }
  /** The connection is back, and of what the service was told this goes on. */
  restored(e) {
    for (const [t, s] of this.#t)
      s.doubtful && !e.includes(t) && this.#f(t, { how: "lost", error: new a("connection_lost") }), s.doubtful = !1;
    for (const t of e)
      this.#t.has(t) || (this.#o({}, "", t).opened = !0);
  }
  /** The call is over, and everything that it had to say with it. */
  close(e) {
    for (const t of [...this.#t.keys()]) this.#f(t, { how: "lost", error: e });
  }
  /** An error of the service about an utterance; whether it was one of these. */
  refused(e, t) {
    return this.#t.has(e) ? (this.#f(e, { how: "failed", error: t }), !0) : !1;
  }
  // --- what the service tells ---------------------------------------------------------------
  started({ utterance_id: e, latency_ms: t }) {
    const s = this.#t.get(e);
    s !== void 0 && (s.serviceMs = t, s.toldAt = performance.now(), s.heardAt !== null ? this.#u(s) : setTimeout(() => this.#u(s), s.alone ? os : this.#n.ms));
  }
  word(e) {
    const t = this.#t.get(e.utterance_id);
    if (t === void 0) return;
    const { text: s } = t.utterance, i = t.offsets.unitOf(s, e.char_start), r = t.offsets.unitOf(s, e.char_end), o = { text: e.text, start: i, end: r, startMs: e.start_ms, endMs: e.end_ms };
    this.#b(() => {
      t.utterance.isOver || (t.utterance.spoke(o), this.#e.word(t.utterance, o));
    });
  }
  done({ utterance_id: e, audio_ms: t, underruns: s }) {
    this.#b(() => this.#f(e, { how: "done", playedMs: t, underruns: s }));
  }
  cancelled({ utterance_id: e, played_ms: t }) {
    this.#f(e, { how: "cancelled", playedMs: t });
  }
  failed({ utterance_id: e, code: t, message: s, played_ms: i }) {
    this.#f(e, { how: "failed", playedMs: i, error: new a(t, { detail: s, utteranceId: e }) });
  }
  // --- in -----------------------------------------------------------------------------------
  #o(e, t, s = this.#c()) {
    const i = new ns(s, t, this.#l(), performance.now()), r = this.#e.samples(), o = {
      utterance: i,
      delivery: e,
      opened: !1,
      doubtful: !1,
      offsets: new es(),
      alone: r !== null && this.#t.size === 0,
      quiet: r !== null && ae(r.samples, r.rateHz),
      heardAt: null,
      toldAt: null,
      serviceMs: null,
      audible: !1
    };
    return this.#t.set(s, o), o.alone && this.#v(o), o;
  }
  #c() {
    return this.#s += 1, `u${this.#s}-${Me().slice(0, 8)}`;
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
      end: (e) => this.#a(e),
      cancel: (e) => {
        this.#t.get(e)?.opened ? this.#e.send("utterance.cancel", { utterance_id: e }) : this.#f(e, { how: "cancelled" });
      },
      set: (e, t) => this.#e.set(e, t)
    };
  }
  #h(e, t) {
    for (const s of Qt(t)) {
      const i = e.opened ? {} : M(e.delivery);
      this.#e.send("utterance.append", { ...i, utterance_id: e.utterance.id, text: s }), e.opened = !0;
    }
  }
  #a(e) {
    const t = this.#t.get(e);
    t !== void 0 && (t.opened ? this.#e.send("utterance.end", { utterance_id: e }) : this.#f(e, { how: "done" }));
  }
  #d(e, t) {
    try {
      t();
    } catch (s) {
      throw this.#f(e.utterance.id, { how: "failed", error: s }), s;
    }
  }
  #p(e, t) {
    const s = this.open(t);
    return this.#m(s, e), s;
  }
  async #m(e, t) {
    const s = new ss((i) => {
      e.isOver || e.append(i);
    });
    try {
      for await (const i of t) {
        for (V("speak", i, "what the stream gives"); this.#e.bufferedBytes() > rs && !e.isOver; ) await v(ce);
        if (e.isOver) break;
        s.push(i);
      }
      s.flush(), e.end();
    } catch (i) {
      const r = i instanceof a ? i : new a("text_stream_failed", { cause: i });
      this.#f(e.id, { how: "failed", error: r }, () => e.cancel());
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
      const { samples: s, rateHz: i } = t, r = Le(s, i, e.quiet);
      e.quiet ||= ae(s, i);
      const o = performance.now() - 1e3 * (s.length - r) / i;
      r < 0 || o < e.utterance.sentAt || (e.heardAt = o, this.#w(e), e.toldAt !== null && this.#u(e));
    }, ce);
  }
  #w(e) {
    e.alone && clearInterval(this.#i), e.alone = !1;
  }
  /** The service has told of its sound; that was heard, or nothing could be made out. */
  #u(e) {
    const { utterance: t, toldAt: s, heardAt: i } = e;
    if (e.audible || t.isOver || s === null) return;
    e.audible = !0, this.#w(e);
    const r = i !== null;
    r && this.#n.measured(s, i);
    const c = { latencyMs: (i ?? s + this.#n.ms) - t.sentAt, serviceMs: e.serviceMs, measured: r };
    t.becameAudible(c), this.#e.audible(t, c);
  }
  #f(e, t, s) {
    const i = this.#t.get(e);
    if (i === void 0) return;
    try {
      s?.();
    } catch {
    }
    this.#t.delete(e), this.#w(i);
    const { utterance: r } = i;
    r.ended(t), r.finished.then((o) => this.#e.finished(r, o));
  }
}
const cs = 8192;
class hs {
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
  constructor(e, t, s, i) {
    this.#e = e, this.#t = s, this.#n = e.context?.createMediaStreamDestination() ?? null, this.track = this.#n?.stream.getAudioTracks()[0] ?? null, this.#s = i ?? document.createElement("audio"), this.#s.muted = !t;
  }
  /** The track as it comes over the connection: another one after each reconnection. */
  get remoteTrack() {
    return this.#o;
  }
  /** RMS level of the last 0.2 s, in dB relative to full scale; -120 is silence. */
  get dbfs() {
    return this.#i?.dbfs() ?? H;
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
  /** Play through another output, those in the room as well. Whether it does; where not, a notice tells why. */
  async setOutput(e) {
    if (!xe())
      return this.#t("output.fixed"), !1;
    try {
      await this.#s.setSinkId(e), this.#e.follow(this.#s, e);
    } catch {
      return this.#t("output.missing"), !1;
    }
    return !0;
  }
  /** @internal A connection has brought this track. */
  take(e) {
    this.#c(), this.#o = e;
    const t = new MediaStream([e]);
    this.#s.srcObject = t;
    const { context: s } = this.#e;
    s !== null && this.#n !== null && (this.#r = s.createMediaStreamSource(t), this.#r.connect(this.#n), this.#i = new Re(this.#r, cs)), this.#e.play(this.#s);
  }
  /** @internal */
  close() {
    this.#c(), this.track?.stop();
  }
  #c() {
    this.#i?.close(), this.#r?.disconnect(), this.#i = this.#r = null;
  }
}
function ls(n, e) {
  const t = w(n, "inbound-rtp", O), s = w(n, "outbound-rtp", O), i = w(n, "remote-inbound-rtp", O), r = ds(n), o = (k, T) => U(k, e, T), c = o(t, "packetsReceived"), h = o(t, "packetsLost");
  return {
    rttMs: j(p(r, "currentRoundTripTime") ?? p(i, "roundTripTime")),
    lossPercent: le(h, ms(c, h)),
    jitterMs: j(p(t, "jitter")),
    playoutDelayMs: j(q(o(t, "jitterBufferDelay"), o(t, "jitterBufferEmittedCount"))),
    concealedPercent: le(o(t, "concealedSamples"), o(t, "totalSamplesReceived")),
    receivedBps: he(t, e, "bytesReceived"),
    sentBps: he(s, e, "bytesSent"),
    sentLossPercent: I(p(i, "fractionLost"), 100),
    relayed: fs(n, r)
  };
}
function us(n) {
  const e = /* @__PURE__ */ new Map();
  return n.forEach((t, s) => e.set(s, t)), e;
}
function w(n, e, t) {
  for (const s of n.values()) if (s.type === e && t(s)) return s;
}
function O(n) {
  return (n.kind ?? n.mediaType) === "audio";
}
function ds(n) {
  const e = w(n, "transport", () => !0)?.selectedCandidatePairId;
  return typeof e == "string" ? n.get(e) : w(n, "candidate-pair", (t) => t.selected === !0 || t.nominated === !0);
}
function fs(n, e) {
  const t = n.get(String(e?.localCandidateId));
  return t === void 0 ? null : t.candidateType === "relay";
}
function p(n, e) {
  const t = n?.[e];
  return typeof t == "number" && Number.isFinite(t) ? t : null;
}
function U(n, e, t) {
  const s = p(n, t);
  if (s === null) return null;
  const i = p(e?.get(String(n?.id)), t) ?? 0;
  return s >= i ? s - i : s;
}
function he(n, e, t) {
  const s = e === null ? null : U(n, e, "timestamp"), i = U(n, e, t);
  return e?.has(String(n?.id)) ?? !1 ? I(q(i, s), 8e3) : null;
}
function ms(n, e) {
  return n === null || e === null ? null : n + e;
}
function q(n, e) {
  return n === null || e === null || e <= 0 ? null : n / e;
}
function le(n, e) {
  return I(q(n, e), 100);
}
function j(n) {
  return I(n, 1e3);
}
function I(n, e) {
  return n === null ? null : n * e;
}
const ue = 3e4;
function ps(n) {
  return async () => {
    const e = typeof n == "function" ? await ws(n) : n;
    if (e != null && typeof e != "string")
      throw l("token", `a key is a string, not ${b(e)}`);
    return e || null;
  };
}
function gs(n, e) {
  return n.code !== "unauthorized" || typeof e != "function" ? n : new a("token_refused", { detail: n.detail, cause: n });
}
async function ws(n) {
  const e = () => new a("token_failed", { detail: `no token within ${ue / 1e3} s` });
  try {
    return await _((async () => n())(), ue, e);
  } catch (t) {
    throw f(t, "token_failed");
  }
}
const bs = "application/octet-stream", vs = 100, B = "the id", de = "the name";
class ys {
  #e;
  #t;
  constructor(e, t) {
    this.#e = e, this.#t = t;
  }
  /** Own voices, the newest first, then those of the engine. */
  async list() {
    const e = [];
    for (let t = ""; ; ) {
      const s = `limit=${vs}${t && `&after=${encodeURIComponent(t)}`}`, i = await this.#e.json("GET", `v1/audio/voices?${s}`, _s);
      if (e.push(...i.data.map(A)), !i.has_more) return e;
      t = String(i.last_id);
    }
  }
  /** Speak with a voice from the next utterance on. */
  async use(e) {
    return m("voices.use", e, B), this.#t.use(e);
  }
  /** Speak with a mix: weights over 0 by id. */
  async mix(e) {
    return _e("voices.mix", e, "number", "weights"), this.#t.mix(e);
  }
  /** Keep the voice of this call after the call. */
  async save(e) {
    return m("voices.save", e, de), this.#t.save(e);
  }
  /** Give a voice another name. */
  async rename(e, t) {
    return m("voices.rename", t, de), A(await this.#e.json("POST", x(e), F, jt({ name: t })));
  }
  /** The voice with its consent, as a file. Keep it like a secret. */
  async export(e) {
    return (await this.#e.request("GET", `${x(e)}/export`)).blob();
  }
  /** Take in a file that was exported; the voice has a new id, and another name where its own is taken. */
  async import(e) {
    if (typeof e?.arrayBuffer != "function") throw l("voices.import", `the file is a Blob, not ${b(e)}`);
    const t = { body: e, headers: { "Content-Type": bs } };
    return A(await this.#e.json("POST", "v1/audio/voices/import", F, t));
  }
  /** Delete a voice, at once and everywhere: calls that speak with it fall silent. */
  async delete(e) {
    await this.#e.request("DELETE", x(e));
  }
  /** Withdraw a consent: all voices that were made under it are deleted with it; their ids. */
  async withdraw(e) {
    m("voices.withdraw", e, B);
    const t = `v1/audio/voice_consents/${encodeURIComponent(e)}`;
    return (await this.#e.json("DELETE", t, ks)).voices_deleted ?? [];
  }
}
const F = {
  id: "string",
  created_at: "number",
  name: "string",
  type: "string",
  consent: "string|null?",
  quality: "number|null?",
  expires_at: "number|null?"
}, _s = { data: "object[]", has_more: "boolean", last_id: "string|null?" }, ks = { voices_deleted: "string[]?" };
function x(n) {
  return m("voices", n, B), `v1/audio/voices/${encodeURIComponent(n)}`;
}
function A(n) {
  if (!W(F, n)) throw new a("bad_answer");
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
const Ts = 12e4, Ss = 5e3, Es = 15e3, Ms = /* @__PURE__ */ new Set(["at_capacity", "origin_not_allowed", "rate_limit_exceeded"]), Is = /* @__PURE__ */ new Set([502, 503, 504]);
async function Os(n, e, t) {
  const s = performance.now() + Ts;
  for (; ; ) {
    const i = () => new a("timeout"), { status: r, reason: o, retryMs: c } = await _(js(n, t), Es, i);
    if (r === "ready") return;
    if (r === "at_capacity") throw new a("at_capacity");
    if (performance.now() > s) throw new a("not_ready", { detail: o });
    e(o), await v(c);
  }
}
async function js(n, e) {
  const t = new URL("readyz", n), s = await fetch(t, { cache: "no-store", signal: e }).catch(() => null), i = y(await s?.text().catch(() => ""));
  if (e.aborted) throw new a("client_left");
  if (s === null) throw await As(n, fetch(t, { cache: "no-store", mode: "no-cors", signal: e }));
  const { status: r, reason: o } = i ?? {};
  if (!(typeof r == "string" && (s.ok ? r === "ready" : s.status === 503))) throw xs(n, s.status, i?.error);
  const h = Number(s.headers.get("Retry-After")) || 2;
  return { status: r, reason: typeof o == "string" ? o : "", retryMs: Math.min(Ss, 1e3 * h) };
}
function xs(n, e, t) {
  const { code: s, message: i } = u(t) ?? {};
  if (Ms.has(s)) return new a(String(s), { detail: String(i ?? "") });
  const r = `${n.href} (${e})`;
  return new a(Is.has(e) ? "unreachable" : "no_service", { detail: r });
}
async function As(n, e) {
  if (!await e.then(() => !0, () => !1)) return new a("unreachable", { detail: n.href });
  const s = `${n.href} answers, but not to this page: does server.allowed_origins name ${location.origin}?`;
  return new a("origin_not_allowed", { detail: s });
}
const Cs = 3, Rs = {
  "voice.use": "voice.selected",
  "voice.mix": "voice.selected",
  "voice.save": "voice.saved",
  "session.configure": "session.configured",
  "lexicon.set": "lexicon.accepted",
  "stats.get": "stats"
};
class Ns extends Ee {
  /** The microphone of the call. */
  microphone;
  /** The voice that comes. */
  speech;
  /** Voices that outlive the call. */
  voices;
  /** Others who are in the call's room. */
  room;
  #e;
  #t;
  #n;
  #s;
  #r;
  #i;
  #o = new Bt();
  #c = new At();
  #l = new AbortController();
  #h = null;
  #a = null;
  #d = !1;
  /** Make it in a click or key press: browsers let only those pages sound. Throws `misuse`. */
  constructor(e = {}) {
    super(), e.language !== void 0 && Pe(e.language), this.#t = e.microphone ?? !0, this.#e = Te(e.url ?? ".", document.baseURI), this.#n = ps(e.token ?? null);
    const t = (s, i = "") => this.#T(s, i);
    this.#r = new Yt(t), this.speech = new hs(this.#r, e.audible ?? !0, t, e.player), this.microphone = new $t({
      send: (s) => this.#s.replaceMicrophone(s),
      context: () => this.#r.context,
      notify: t,
      changed: (s) => this.emit("microphone", s)
    }), this.#s = this.#p(e), this.#i = this.#m(), this.voices = new ys(new J(() => this.#s.service, this.#n), {
      use: async (s) => C(await this.#k("voice.use", { voice_id: s })),
      mix: async (s) => C(await this.#k("voice.mix", { weights: s })),
      save: (s) => this.#E(s)
    }), this.room = this.#b(), this.#u();
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
    if (this.#d) throw l("connect", "this call has begun; a VoicePeer is one call, make another for another one");
    if (this.#d = !0, typeof RTCPeerConnection > "u") throw new a("browser.unsupported");
    try {
      await Os(this.#e, (s) => this.#T("service.starting", s), this.#l.signal), await this.#v();
      const { restored: e, ready: t } = await this.#s.open();
      return this.#i.restored(t.utterances ?? []), { restored: e, voiceLost: !1 };
    } catch (e) {
      throw this.detach(), e;
    }
  }
  /** Hang up; harmless when it is over already. */
  close() {
    this.#s.close(), this.#_();
  }
  /** Let go of the call without ending it: another page, or this one after a reload, can `resume` it. */
  detach() {
    this.#s.detach(), this.#_();
  }
  // --- a voice ------------------------------------------------------------------------------
  /** Let the service learn the voice of the microphone, whose speaker agrees to that. Throws `misuse`. */
  enrol(e) {
    He("enrol", e);
    const { consentVersion: t, consentId: s, consent: i, name: r } = e, o = {
      ...i !== void 0 && { consent: i },
      ...r !== void 0 && { name: r },
      ...s !== void 0 && { consent_id: s },
      ...t !== void 0 && { consent_version: t }
    }, c = new Mt(() => void this.#g("enrol.stop", {}).catch(() => {
    }));
    return this.#h?.enrolment.fail(new a("enrolment_stopped")), this.#h = { enrolment: c, fields: o }, this.#g("enrol.start", o).catch((h) => c.fail(h)), c;
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
    g("control", e, L), await fe(this.#k("controls.set", M(e)));
  }
  /** Say words in another way: a spelling, or IPA between slashes. */
  async setLexicon(e, t) {
    _e("setLexicon", e, "string", "words"), await this.#k("lexicon.set", { words: e, ...t !== void 0 && { voice_id: t } });
  }
  /** Settings of the session, such as `{ barge_in: true }`: whether speech interrupts ours. */
  async configure(e) {
    if (u(e) === null) throw l("configure", "settings are an object");
    await this.#k("session.configure", e);
  }
  // --- the rest -----------------------------------------------------------------------------
  /** What the connection has been like since the last time that this was asked. */
  async stats() {
    const e = await this.#s.pc?.getStats();
    if (e === void 0) return null;
    const t = us(e), s = this.#a;
    return this.#a = t, ls(t, s);
  }
  /** The service's own counters of the session. */
  async serviceStats() {
    return await this.#g("stats.get", {});
  }
  /** Microphones and outputs. */
  devices() {
    return je();
  }
  /** ICE servers for connections of the application's own. */
  async iceServers() {
    const { ice_servers: e } = await new J(() => this.#s.service, this.#n).json("GET", "v1/realtime/ice-servers", { ice_servers: "object[]" });
    return e;
  }
  /** Try again to play what the browser has blocked; clicks and keys do so by themselves. Whether there is sound. */
  resumeAudio() {
    return this.#r.resume();
  }
  /** Send any message of docs/wire.md, for what has no method here; gives what it is answered with. */
  request(e, t) {
    return this.#g(e, t);
  }
  // --- inside -------------------------------------------------------------------------------
  #p({ token: e, room: t = "default", name: s = "", rtc: i = {}, resume: r, follow: o = !0 }) {
    return new St({
      url: this.#e,
      token: this.#n,
      refusal: (c) => gs(c, e ?? null),
      room: t,
      name: s,
      rtc: i,
      resume: r ?? null,
      microphone: () => this.microphone.track,
      redirects: o ? Cs : 0
    });
  }
  #m() {
    return new as({
      send: (e, t) => this.#s.send(e, t),
      bufferedBytes: () => this.#s.bufferedBytes,
      set: async (e, t) => {
        g("set", t, L), await fe(this.#g("controls.set", { ...M(t), utterance_id: e }));
      },
      samples: () => this.speech.samples(),
      audible: (e, t) => this.emit("audible", { utterance: e, audible: t }),
      word: (e, t) => this.emit("word", { utterance: e, word: t }),
      finished: (e, t) => this.emit("finished", { utterance: e, end: t })
    });
  }
  #b() {
    return new Gt({
      ask: (e, t) => this.#g(e, t),
      rtc: () => this.#s.rtc,
      send: (e) => this.#s.signal(e),
      play: (e) => void this.#r.play(e),
      stop: (e) => this.#r.stop(e),
      changed: (e) => this.emit("room", e),
      failed: (e) => this.emit("error", e)
    });
  }
  async #v() {
    if (this.#t === !1) return;
    typeof this.#t == "object" ? await this.microphone.use(this.#t) : await this.microphone.start(this.#t === !0 ? null : this.#t);
    const { signal: e } = this.#l;
    navigator.mediaDevices?.addEventListener("devicechange", () => void this.microphone.devicesChanged(), { signal: e }), this.#w(e);
  }
  /** When the microphone is allowed after all, take it. */
  #w(e) {
    navigator.permissions?.query({ name: "microphone" }).then((s) => {
      s.addEventListener("change", () => {
        s.state === "granted" && this.microphone.state === "denied" && this.microphone.start();
      }, { signal: e });
    }).catch(() => {
    });
  }
  #u() {
    this.#s.on("state", (e) => {
      e === "interrupted" && this.#T("connection.lost"), this.emit("state", e);
    }), this.#s.on("track", (e) => {
      this.speech.take(e), this.emit("track", e);
    }), this.#s.on("resumption", (e) => this.emit("resumption", e)), this.#s.on("message", (e) => this.#f(e)), this.#s.on("broken", () => this.emit("error", new a("bad_answer"))), this.#s.on("ears", (e) => this.room.ears.signal(e)), this.#s.on("refused", (e) => {
      this.room.ears.refused(e) || this.emit("error", e);
    }), this.#s.on("lost", () => {
      this.room.lost(), this.#o.lost(), this.#i.interrupted();
    }), this.#s.on("reconnected", (e) => this.#S(e)), this.#s.on("ended", ({ code: e, message: t, fault: s }) => {
      this.#_(), this.emit("closed", { reason: e, message: t, fault: s });
    });
  }
  #f(e) {
    const { kind: t, name: s, fields: i } = e;
    t !== "event" ? !this.#o.take(e) && t === "refusal" && this.#y($(i)) : s === "error" ? this.#y($(i)) : s !== "pong" && (this.#M(s, i), this.emit(s, i));
  }
  #y(e) {
    e.utteranceId !== void 0 && this.#i.refused(e.utteranceId, e) || this.emit("error", e);
  }
  /** Let the handles of what goes on know. */
  #M(e, t) {
    const s = this.#h?.enrolment;
    if (e.startsWith("room.")) return this.room.hear(e, t);
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
        return this.#c.learned(), s?.becameUsable(t);
      case "voice.ready":
        return this.#c.learned(), s?.becameReady(t);
      case "voice.rejected":
        return s?.fail(new a("voice_rejected", { detail: t.message }));
    }
  }
  #S({ restored: e, ready: t }) {
    const s = !e && this.#c.losesVoice;
    if (e) this.#i.restored(t.utterances ?? []);
    else {
      this.#i.restored([]);
      for (const [i, r] of this.#c.replay()) this.#g(i, r).catch(() => {
      });
      this.room.joinAgain().catch((i) => this.emit("error", i));
    }
    this.#I(e), this.#T(e ? "connection.back" : "connection.new"), this.emit("reconnected", { restored: e, voiceLost: s });
  }
  /** What was being learned is lost with a connection; a voice that was usable stays as it was. */
  #I(e) {
    if (this.#h === null || this.#h.enrolment.isOver) return;
    const { enrolment: t, fields: s } = this.#h;
    e && t.settle() || this.#g("enrol.start", s).catch((i) => t.fail(i));
  }
  async #E(e) {
    const t = C(await this.#g("voice.save", { name: e }));
    return this.#c.losesVoice && this.#c.asked("voice.use", { voice_id: t.voiceId }), t;
  }
  async #k(e, t) {
    const s = await this.#g(e, t);
    return this.#c.asked(e, t), s;
  }
  async #g(e, t) {
    const s = await this.#o.ask((r) => this.#s.send(e, t, r)), i = Rs[e];
    if (i === void 0) return s;
    if (be(i, s) !== "fits") throw new a("bad_answer", { detail: e });
    return this.emit(i, s), s;
  }
  #T(e, t = "") {
    const s = Dt(e, t);
    this.emit(e, s), this.emit("notice", s);
  }
  #_() {
    this.#l.abort();
    const e = new a("connection_lost");
    this.#o.lost(), this.#i.close(e), this.room.close(), this.#h?.enrolment.fail(e), this.microphone.close(), this.speech.close(), this.#r.close();
  }
}
async function fe(n) {
  try {
    await n;
  } catch (e) {
    throw e instanceof a && e.code === "text_rejected" ? new a("controls_rejected", { detail: e.detail, cause: e }) : e;
  }
}
function C(n) {
  return { voiceId: String(n.voice_id), name: String(n.name) };
}
export {
  Ls as CODES,
  Re as LevelMeter,
  Et as RAW_VOICE,
  H as SILENCE_DBFS,
  Ns as VoicePeer,
  a as VoicePeerError,
  xe as canChooseOutput,
  $e as currentLanguage,
  pe as faultOf,
  je as listDevices,
  Pe as setLanguage,
  S as textOf
};
