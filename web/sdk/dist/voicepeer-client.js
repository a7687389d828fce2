// src/backoff.ts
var e = 600, t = class {
	#e;
	#t;
	#n = e;
	constructor(e, t, n = Math.random) {
		this.#e = e + t, this.#t = n;
	}
	next(e) {
		if (e >= this.#e) return null;
		let t = this.#n * (.5 + .5 * this.#t());
		return this.#n = Math.min(5e3, 2 * this.#n), t;
	}
};
// src/deferred.ts
function n() {
	let e, t = new Promise((t, n) => {
		e = {
			resolve: t,
			reject: n
		};
	});
	return t.catch(() => void 0), {
		promise: t,
		...e
	};
}
function r(e, t, n) {
	let r, i = new Promise((e, i) => {
		r = setTimeout(() => i(n()), t);
	});
	return Promise.race([e, i]).finally(() => clearTimeout(r));
}
function i(e) {
	return new Promise((t) => {
		setTimeout(t, e);
	});
}
// src/wire.ts
var a = "rtvi-ai", o = "2.1.0", s = {
	joined: {
		session_id: "string",
		ice_servers: "object[]",
		resumed: "boolean?",
		resume_token: "string|null?",
		restored: "boolean?"
	},
	answer: {
		sdp: "string",
		connection: "string?"
	},
	candidate: {
		candidate: "string|null?",
		sdpMid: "string|null?",
		sdpMLineIndex: "number|null?",
		connection: "string?"
	},
	pong: {},
	bye: { reason: "string" },
	error: {
		code: "string",
		message: "string",
		fatal: "boolean?"
	}
}, c = {
	"bot-ready": {
		session_id: "string",
		engine: "string",
		provider: "string",
		precision: "string",
		languages: "string[]",
		version: "string?",
		about: "object?",
		resumed: "boolean?",
		utterances: "string[]?",
		controls: "object?",
		emotions: "string[]?"
	},
	"voice.progress": {
		heard_s: "number",
		needed_s: "number",
		score: "number",
		quality: "number",
		snr_db: "number|null?",
		hint: "string|null?",
		hint_code: "string|null?"
	},
	"voice.usable": {
		voice_id: "string",
		heard_s: "number",
		score: "number",
		quality: "number",
		elapsed_ms: "number"
	},
	"voice.ready": {
		voice_id: "string",
		heard_s: "number",
		score: "number",
		quality: "number",
		elapsed_ms: "number",
		clone_ms: "number"
	},
	"voice.refined": {
		voice_id: "string",
		count: "number"
	},
	"voice.rejected": {
		message: "string",
		code: "string?"
	},
	"voice.selected": {
		voice_id: "string",
		name: "string"
	},
	"voice.saved": {
		voice_id: "string",
		name: "string"
	},
	"utterance.accepted": {
		utterance_id: "string",
		queued: "number"
	},
	"utterance.started": {
		utterance_id: "string",
		latency_ms: "number"
	},
	"utterance.word": {
		utterance_id: "string",
		text: "string",
		start_ms: "number",
		end_ms: "number",
		char_start: "number",
		char_end: "number"
	},
	"utterance.viseme": {
		utterance_id: "string",
		viseme: "string",
		ipa: "string",
		start_ms: "number",
		end_ms: "number"
	},
	"utterance.caption": {
		utterance_id: "string",
		text: "string",
		start_ms: "number",
		char_start: "number",
		char_end: "number"
	},
	"lexicon.accepted": {
		entries: "number",
		voice_id: "string|null?"
	},
	"utterance.done": {
		utterance_id: "string",
		audio_ms: "number",
		first_audible_ms: "number|null",
		rtf: "number|null",
		underruns: "number"
	},
	"utterance.cancelled": {
		utterance_id: "string",
		played_ms: "number"
	},
	"utterance.failed": {
		utterance_id: "string",
		code: "string",
		message: "string",
		played_ms: "number",
		retryable: "boolean"
	},
	"utterance.similarity": {
		utterance_id: "string",
		cosine: "number"
	},
	"session.configured": {
		barge_in: "boolean",
		barge_in_min_ms: "number",
		audio_levels: "boolean?",
		similarity: "boolean?"
	},
	"session.ending": {
		reason: "string",
		within_s: "number"
	},
	"room.joined": {
		participant: "string",
		manages: "boolean?"
	},
	"room.roster": { participants: "object[]" },
	"room.gone": {
		participant: "string",
		reason: "string"
	},
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
	"bot-output": {
		text: "string",
		aggregated_by: "string?",
		segment_id: "number|null?",
		will_be_spoken: "boolean?",
		spoken_status: "string|null?",
		spoken_progress: "object|null?"
	},
	metrics: {
		ttfb: "object[]|null?",
		processing: "object[]|null?",
		characters: "object[]|null?"
	},
	"bot-audio-level": { value: "number" },
	"user-audio-level": { value: "number" },
	"server-response": {
		t: "string",
		d: "object?"
	},
	"error-response": {
		error: "string",
		code: "string",
		fatal: "boolean?",
		utterance_id: "string|null?"
	},
	error: {
		error: "string",
		code: "string",
		fatal: "boolean?",
		utterance_id: "string|null?",
		message: "string?"
	},
	stats: {
		frames_sent: "number",
		underruns: "number",
		stale_dropped: "number",
		mic_frames: "number",
		mic_frames_lost: "number",
		mic_frames_concealed: "number",
		lead_ms: "number",
		utterances: "number",
		chunks_repaired: "number?",
		frames_skipped: "number?",
		frames_failed: "number?",
		bitrate_bps: "number?",
		loss_expected_percent: "number?"
	},
	pong: { sent_ms: "number?" }
};
// src/shapes.ts
function l(e, t) {
	return d(c, e, t);
}
function u(e, t) {
	return d(s, e, t);
}
function d(e, t, n) {
	let r = Object.hasOwn(e, t) ? e[t] : void 0;
	return r === void 0 ? "unknown" : f(r, n) ? "fits" : "broken";
}
function f(e, t) {
	return Object.entries(e).every(([e, n]) => ee(n, t, e));
}
function ee(e, t, n) {
	let r = e.endsWith("?");
	return Object.hasOwn(t, n) ? (r ? e.slice(0, -1) : e).split("|").some((e) => p(e, t[n])) : r;
}
function p(e, t) {
	if (e.endsWith("[]")) return Array.isArray(t) && t.every((t) => p(e.slice(0, -2), t));
	switch (e) {
		case "null": return t === null;
		case "object": return m(t) !== null;
		case "number": return typeof t == "number" && Number.isFinite(t);
		default: return typeof t === e;
	}
}
function m(e) {
	return typeof e == "object" && e && !Array.isArray(e) ? e : null;
}
function h(e) {
	if (typeof e != "string") return null;
	try {
		return m(JSON.parse(e));
	} catch {
		return null;
	}
}
// src/envelope.ts
var te = /* @__PURE__ */ new Set([
	"client-ready",
	"send-text",
	"disconnect-bot"
]), ne = {
	"server-response": "answer",
	"error-response": "refusal"
};
function g(e, t, n = "") {
	let r = te.has(e);
	return JSON.stringify({
		label: a,
		type: r ? e : "client-message",
		id: n,
		data: r ? t : {
			t: e,
			d: t
		}
	});
}
function re(e) {
	let t = h(e);
	if (t === null || t.label !== "rtvi-ai") return null;
	let { type: n, id: r } = t, i = m(t.data ?? {});
	if (typeof n != "string" || i === null) return "broken";
	let a = ne[n] ?? "event", o = n === "server-message" || a === "answer", s = o ? i.t : n, c = o ? m(i.d ?? {}) : i;
	if (typeof s != "string" || c === null) return "broken";
	let u = {
		kind: a,
		name: s,
		id: typeof r == "string" ? r : "",
		fields: c
	};
	if (a === "answer") return u;
	let d = l(s, c);
	return d === "fits" ? u : d === "unknown" ? null : "broken";
}
// src/texts.ts
var _ = {
	unauthorized: [
		"user",
		"This service needs an access key. Enter it and try again.",
		"此服务需要访问密钥。请输入密钥后重试。"
	],
	token_expired: [
		"user",
		"The access token has expired. Get a new one and try again.",
		"访问令牌已过期。请获取新令牌后重试。"
	],
	forbidden: [
		"user",
		"Your access key does not allow this. Ask whoever gave it to you.",
		"您的访问密钥没有此权限。请联系密钥的提供者。"
	],
	origin_not_allowed: [
		"service",
		"This page may not use the service: its operator has to allow the page's address.",
		"此页面不能使用该服务：需要服务管理员允许本页面的地址。"
	],
	rate_limited: [
		"user",
		"That was too much at once. Wait a minute, then try again.",
		"请求过于频繁。请稍等一分钟后重试。"
	],
	at_capacity: [
		"service",
		"All places are taken at the moment. Try again in a minute.",
		"目前名额已满。请一分钟后重试。"
	],
	room_full: [
		"service",
		"This room is full at the moment. Try again in a minute.",
		"此房间目前已满。请一分钟后重试。"
	],
	not_ready: [
		"service",
		"The service is getting ready. Try again in a moment.",
		"服务正在准备中。请稍后重试。"
	],
	shutting_down: [
		"service",
		"The service is being restarted. Try again in a minute.",
		"服务正在重启。请一分钟后重试。"
	],
	protocol_unsupported: [
		"user",
		"This page is older or newer than the service. Reload it.",
		"此页面与服务的版本不匹配。请刷新页面。"
	],
	text_rejected: [
		"user",
		"This text cannot be said: {detail}",
		"此文本无法朗读：{detail}"
	],
	text_too_long: [
		"user",
		"This text is too long. Say it in parts.",
		"文本过长。请分段朗读。"
	],
	text_stream_failed: [
		"user",
		"The source of the text has failed; what had come of it was cut off.",
		"文本来源出错，后续内容已中断。"
	],
	enrolment_stopped: [
		"user",
		"Learning was stopped. The voice stays as it is.",
		"录制已停止，声音保持不变。"
	],
	voice_not_ready: [
		"user",
		"There is no voice yet. Learn one or choose one first.",
		"还没有可用的声音。请先录制或选择一个声音。"
	],
	voice_not_found: [
		"user",
		"This voice does not exist any more. Choose another one.",
		"此声音已不存在。请选择其他声音。"
	],
	voice_exists: [
		"user",
		"There is a voice of this name already. Choose another name.",
		"已有同名的声音。请换一个名称。"
	],
	voice_rejected: [
		"user",
		"The voice could not be learned: {detail}",
		"无法学习此声音：{detail}"
	],
	voice_file_invalid: [
		"user",
		"This file holds no voice that can be used. Choose one that was exported here.",
		"此文件不包含可用的声音。请选择从本服务导出的文件。"
	],
	consent_not_found: [
		"user",
		"The consent does not exist any more. Give it again.",
		"授权已不存在。请重新授权。"
	],
	consent_withdrawn: [
		"user",
		"The speaker has withdrawn their consent to this voice.",
		"说话人已撤回对此声音的授权。"
	],
	consent_speaker: [
		"user",
		"Somebody else than the speaker has consented. The speaker has to agree.",
		"授权人与说话人不一致。须由说话人本人同意。"
	],
	language_unsupported: [
		"user",
		"The service does not speak this language. Choose another one.",
		"服务不支持此语言。请选择其他语言。"
	],
	engine_failed: [
		"service",
		"The service could not say this. Try again.",
		"服务未能朗读此文本。请重试。"
	],
	engine_busy: [
		"service",
		"The service has too much to say at the moment. Try again in a minute.",
		"服务当前繁忙。请一分钟后重试。"
	],
	bad_message: [
		"service",
		"The service did not understand this page. Reload it.",
		"服务无法理解此页面的请求。请刷新页面。"
	],
	bad_answer: [
		"service",
		"The service has said something that this page does not understand. Reload the page.",
		"页面无法理解服务的回复。请刷新页面。"
	],
	internal: [
		"service",
		"The service has a problem of its own. Try again.",
		"服务出现内部问题。请重试。"
	],
	unreachable: [
		"network",
		"The service cannot be reached. Check the connection, then try again.",
		"无法连接到服务。请检查网络后重试。"
	],
	no_connection: [
		"network",
		"No media connection came about. A firewall may block it: ask for a TURN server.",
		"无法建立媒体连接，可能被防火墙阻止。请联系管理员配置 TURN 服务器。"
	],
	connection_lost: [
		"network",
		"The connection was lost.",
		"连接已断开。"
	],
	not_connected: [
		"network",
		"There is no connection to the service. Start the call first.",
		"尚未连接到服务。请先开始通话。"
	],
	call_over: [
		"user",
		"This call is over. Start another one.",
		"此通话已结束。请重新开始。"
	],
	token_failed: [
		"network",
		"The page could not get its access to the service. Check the connection, then try again.",
		"页面无法获取服务的访问权限。请检查网络后重试。"
	],
	timeout: [
		"network",
		"The service took too long to answer. Try again.",
		"服务响应超时。请重试。"
	],
	client_left: [
		"user",
		"The call was ended here.",
		"通话已在此结束。"
	],
	replaced: [
		"user",
		"The call goes on in another tab or on another device.",
		"通话已在其他标签页或设备上继续。"
	],
	resumed_elsewhere: [
		"user",
		"The call goes on in another tab or on another device.",
		"通话已在其他标签页或设备上继续。"
	],
	connect_timeout: [
		"network",
		"No media connection came about. A firewall may block it: ask for a TURN server.",
		"无法建立媒体连接，可能被防火墙阻止。请联系管理员配置 TURN 服务器。"
	],
	client_vanished: [
		"network",
		"The service heard nothing from this page any more.",
		"服务收不到此页面的任何信息。"
	],
	channel_closed: [
		"network",
		"The connection was lost.",
		"连接已断开。"
	],
	signaling_lost: [
		"network",
		"The connection to the service was lost.",
		"与服务的连接已断开。"
	],
	ended_by_operator: [
		"service",
		"Whoever runs the service has ended the call.",
		"服务管理员已结束通话。"
	],
	"page.insecure": [
		"browser",
		"Browsers allow the microphone only over HTTPS or on localhost. Open this page at such an address.",
		"浏览器仅允许在 HTTPS 或 localhost 下使用麦克风。请通过此类地址打开页面。"
	],
	"browser.unsupported": [
		"browser",
		"This browser cannot make calls (WebRTC is missing or turned off). Use a current Chrome, Edge, Firefox or Safari.",
		"此浏览器无法通话（缺少或已禁用 WebRTC）。请使用最新版 Chrome、Edge、Firefox 或 Safari。"
	],
	"microphone.denied": [
		"user",
		"The microphone was not allowed, so you can only listen. Allow it beside the page's address, then try again.",
		"麦克风未获允许，您只能收听。请在地址栏旁允许使用麦克风后重试。"
	],
	"microphone.missing": [
		"user",
		"No microphone was found, so you can only listen. Connect one, then try again.",
		"未找到麦克风，您只能收听。请连接麦克风后重试。"
	],
	"microphone.busy": [
		"user",
		"The microphone is in use by another program. Close that, then try again.",
		"麦克风正被其他程序占用。请关闭该程序后重试。"
	],
	"microphone.lost": [
		"user",
		"The microphone is gone. Connect it again or choose another one.",
		"麦克风已断开。请重新连接或选择其他麦克风。"
	],
	"microphone.changed": [
		"user",
		"The call goes on with another microphone: {detail}",
		"通话已切换到其他麦克风：{detail}"
	],
	"microphone.silent": [
		"user",
		"The microphone gives no sound at all. Is it muted, by a switch or in the system's settings?",
		"麦克风没有任何声音。请检查是否在硬件开关或系统设置中被静音。"
	],
	"microphone.heard": [
		"user",
		"The microphone gives sound again.",
		"麦克风已恢复声音。"
	],
	"audio.blocked": [
		"browser",
		"The browser blocks sound until you click or press a key on the page.",
		"浏览器已阻止声音。请点击页面或按任意键。"
	],
	"audio.interrupted": [
		"browser",
		"Another app or a phone call has taken the sound. It comes back when that is over.",
		"声音被其他应用或来电占用，结束后会自动恢复。"
	],
	"audio.resumed": [
		"browser",
		"Sound is on.",
		"声音已开启。"
	],
	"output.fixed": [
		"browser",
		"This browser plays only through the system's default output. Change it in the system's settings.",
		"此浏览器只能使用系统默认输出设备。请在系统设置中更改。"
	],
	"output.missing": [
		"user",
		"This loudspeaker cannot be used. Connect it again or choose another one.",
		"无法使用此扬声器。请重新连接或选择其他扬声器。"
	],
	"connection.lost": [
		"network",
		"The connection was lost. Coming back …",
		"连接已断开，正在重新连接……"
	],
	"connection.back": [
		"network",
		"The connection is back. The call goes on where it was.",
		"连接已恢复，通话继续。"
	],
	"connection.new": [
		"service",
		"The service has forgotten the call, so a new one was begun.",
		"服务已丢失原通话，已开始新的通话。"
	],
	"service.starting": [
		"service",
		"The service is getting ready. Waiting for it …",
		"服务正在准备，请稍候……"
	]
}, ie = {
	rate_limit_exceeded: "rate_limited",
	invalid_api_key: "unauthorized"
}, ae = Object.keys(_), v = null;
function y(e) {
	v = e;
}
function b() {
	let e = globalThis.navigator?.language?.toLowerCase() ?? "";
	return v ?? (e.startsWith("zh") ? "zh" : "en");
}
function x(e, t = b(), n = "") {
	let r = C(e);
	return r === void 0 ? n || `${x("internal", t)} (${e})` : r[t === "zh" ? 2 : 1].replace("{detail}", () => n);
}
function S(e) {
	return C(e)?.[0] ?? "service";
}
function C(e) {
	let t = ie[e] ?? e;
	return Object.hasOwn(_, t) ? _[t] : void 0;
}
// src/errors.ts
var w = class extends Error {
	name = "VoicePeerError";
	code;
	fault;
	detail;
	utteranceId;
	constructor(e, t = {}) {
		let n = t.detail ?? "";
		super(x(e, void 0, n), "cause" in t ? { cause: t.cause } : void 0), this.code = e, this.detail = n, this.fault = S(e), this.utteranceId = t.utteranceId;
	}
	in(e) {
		return x(this.code, e, this.detail);
	}
};
function T(e, t = "internal") {
	return e instanceof w ? e : new w(t, {
		detail: e instanceof Error ? e.message : String(e),
		cause: e
	});
}
// src/emitter.ts
var oe = class {
	#e = /* @__PURE__ */ new Map();
	on(e, t) {
		let n = this.#e.get(e) ?? /* @__PURE__ */ new Set();
		return this.#e.set(e, n), n.add(t), () => void n.delete(t);
	}
	once(e) {
		return new Promise((t) => {
			let n = this.on(e, (e) => {
				n(), t(e);
			});
		});
	}
	emit(e, t) {
		for (let n of [...this.#e.get(e) ?? []]) try {
			n(t);
		} catch (e) {
			se(e);
		}
	}
};
function se(e) {
	typeof reportError == "function" ? reportError(e) : setTimeout(() => {
		throw e;
	}, 0);
}
// src/ids.ts
function ce() {
	let e = crypto.getRandomValues(/* @__PURE__ */ new Uint8Array(16));
	return Array.from(e, (e) => e.toString(16).padStart(2, "0")).join("");
}
// src/lifecycle.ts
var le = {
	idle: {
		connect: "connecting",
		ended: "closed"
	},
	connecting: {
		established: "connected",
		lost: "closed",
		ended: "closed"
	},
	connected: {
		media_stopped: "shaky",
		lost: "rejoining",
		ended: "closed"
	},
	shaky: {
		media_flows: "connected",
		lost: "rejoining",
		ended: "closed"
	},
	rejoining: {
		established: "connected",
		ended: "closed"
	},
	closed: {}
}, ue = {
	idle: "idle",
	connecting: "connecting",
	connected: "connected",
	shaky: "interrupted",
	rejoining: "interrupted",
	closed: "closed"
}, de = /* @__PURE__ */ new Set([
	"channel_closed",
	"client_vanished",
	"connection_lost",
	"signaling_lost",
	"shutting_down"
]);
function fe(e, t) {
	return le[e][t] ?? e;
}
function pe(e) {
	return ue[e];
}
function me(e) {
	return de.has(e);
}
// src/liveness.ts
var he = 1e4, ge = 4e3, _e = class {
	#e;
	#t;
	constructor(e) {
		this.#e = this.#t = e;
	}
	heard(e) {
		this.#e = e;
	}
	lost(e) {
		return e - this.#t > ge && (this.#e = e), this.#t = e, e - this.#e > he;
	}
}, ve = 15e3, ye = 1e3, be = class {
	pc;
	#e;
	#t;
	#n;
	#r = n();
	#i = n();
	#a;
	#o = !1;
	constructor(e) {
		this.#n = e, this.pc = new RTCPeerConnection({
			bundlePolicy: "max-bundle",
			...e.rtc
		});
		let t = this.pc.addTransceiver(e.microphone ?? "audio", { direction: "sendrecv" });
		this.#t = t.sender, this.#e = this.pc.createDataChannel("rtvi", { ordered: !0 }), this.#l();
	}
	async connect() {
		return r(this.#s(), ve, () => new w("no_connection"));
	}
	signal(e) {
		"connection" in e && e.connection === "room" || (e.type === "answer" ? this.#r.resolve(e.sdp) : e.type === "candidate" ? this.#c(e) : e.type === "error" ? this.fail(new w(e.code, { detail: e.message })) : e.type === "bye" && this.fail(new w(e.reason)));
	}
	fail(e) {
		this.#r.reject(e), this.#i.reject(e);
	}
	send(e) {
		return this.#e.readyState === "open" && (this.#e.send(e), !0);
	}
	get bufferedBytes() {
		return this.#e.bufferedAmount;
	}
	async replaceMicrophone(e) {
		this.#o || await this.#t.replaceTrack(e);
	}
	close() {
		this.#o = !0, clearInterval(this.#a), this.fail(new w("connection_lost")), this.#e.close(), this.pc.close();
	}
	async #s() {
		let e = await this.pc.createOffer();
		return this.#n.send({
			type: "offer",
			sdp: e.sdp ?? ""
		}), await this.pc.setLocalDescription(e), await this.pc.setRemoteDescription({
			type: "answer",
			sdp: await this.#r.promise
		}), this.#i.promise;
	}
	#c({ candidate: e, sdpMid: t, sdpMLineIndex: n }) {
		this.#r.promise.then(() => this.pc.addIceCandidate({
			candidate: e ?? "",
			sdpMid: t ?? null,
			sdpMLineIndex: n ?? null
		})).catch(() => void 0);
	}
	#l() {
		this.pc.addEventListener("track", ({ track: e }) => {
			this.#o || this.#n.listener.track(e);
		}), this.pc.addEventListener("icecandidate", ({ candidate: e }) => this.#n.send({
			type: "candidate",
			...e?.toJSON()
		})), this.pc.addEventListener("connectionstatechange", () => this.#f()), this.#e.addEventListener("open", () => this.#u()), this.#e.addEventListener("message", ({ data: e }) => this.#d(e)), this.#e.addEventListener("close", () => this.#p("channel_closed"));
	}
	#u() {
		this.send(g("client-ready", {
			version: o,
			about: {
				library: "@voicepeer/client",
				platform: "browser"
			},
			rtvi_events: !1
		}));
		let e = new _e(performance.now());
		this.#e.addEventListener("message", () => e.heard(performance.now())), this.#a = setInterval(() => {
			this.send(g("ping", { sent_ms: performance.now() })), e.lost(performance.now()) && this.#p("connection_lost");
		}, ye);
	}
	#d(e) {
		let t = re(e);
		if (!(t === null || this.#o)) {
			if (t === "broken") return this.#n.listener.broken();
			t.name === "bot-ready" && this.#i.resolve(t.fields), this.#n.listener.message(t);
		}
	}
	#f() {
		if (this.#o) return;
		let e = this.pc.connectionState;
		e === "failed" || e === "closed" ? this.#p("connection_lost") : (e === "disconnected" || e === "connected") && this.#n.listener.flows(e === "connected");
	}
	#p(e) {
		this.#o || (this.close(), this.#n.listener.lost(e));
	}
}, xe = 1e4, Se = 15e3, Ce = 3e3, we = class e {
	#e;
	#t;
	#n;
	#r = !1;
	constructor(e, t) {
		this.#e = e, this.#t = t, e.addEventListener("close", () => this.#o());
	}
	static async join(t, n, i) {
		let a = new WebSocket(t), o = () => new w("unreachable");
		try {
			let t = await r(Te(a, n), xe, o);
			return [new e(a, i).#a(), t];
		} catch (e) {
			throw a.close(), e;
		}
	}
	send(e) {
		this.#e.readyState === WebSocket.OPEN && this.#e.send(JSON.stringify(e));
	}
	leave() {
		this.send({ type: "leave" }), this.#i(1e3);
	}
	drop() {
		this.#i(Ce);
	}
	#i(e) {
		this.#r || (this.#r = !0, clearInterval(this.#n), this.#e.close(e));
	}
	#a() {
		return this.#n = setInterval(() => this.send({ type: "ping" }), Se), this.#e.addEventListener("message", ({ data: e }) => {
			let t = E(e);
			t !== null && !this.#r && this.#t.signal(t);
		}), this;
	}
	#o() {
		clearInterval(this.#n), this.#r || this.#t.gone();
	}
};
function E(e) {
	let t = h(e), n = t?.type;
	return t === null || typeof n != "string" || u(n, t) !== "fits" ? null : t;
}
function Te(e, t) {
	return new Promise((n, r) => {
		e.addEventListener("open", () => e.send(JSON.stringify(t)), { once: !0 });
		for (let t of ["error", "close"]) e.addEventListener(t, () => r(new w("unreachable")), { once: !0 });
		e.addEventListener("message", ({ data: e }) => {
			let t = E(e);
			t?.type === "joined" ? n(t) : t?.type === "error" ? r(new w(t.code, { detail: t.message })) : t?.type === "bye" ? r(new w(t.reason)) : r(new w("unreachable"));
		}, { once: !0 });
	});
}
// src/connection.ts
var Ee = 6e4, De = 4e3, Oe = 5e3, ke = 5, Ae = 200, je = /* @__PURE__ */ new Set([
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
]), Me = class extends oe {
	#e;
	#t;
	#n = "idle";
	#r = null;
	#i = null;
	#a;
	#o = "";
	#s = [];
	#c = !1;
	#l = 0;
	#u = 0;
	constructor(e) {
		super(), this.#e = e, this.#t = e.resume?.clientId ?? ce(), this.#a = e.resume?.token ?? null;
	}
	get state() {
		return pe(this.#n);
	}
	get sessionId() {
		return this.#o;
	}
	get pc() {
		return this.#i?.pc ?? null;
	}
	async open() {
		if (this.#n !== "idle") throw new w("call_over");
		this.#w("connect");
		try {
			let e = await this.#d();
			return this.#b(), e;
		} catch (e) {
			throw this.#r?.leave(), this.#C("ended"), T(e);
		}
	}
	send(e, t, n) {
		let r = g(e, t, n);
		if (this.#n === "rejoining" && this.#s.length < Ae) this.#s.push(r);
		else if (this.#n === "rejoining" || !this.#i?.send(r)) throw new w("not_connected");
	}
	get bufferedBytes() {
		return this.#i?.bufferedBytes ?? 0;
	}
	async replaceMicrophone(e) {
		await this.#i?.replaceMicrophone(e);
	}
	close() {
		this.#r?.leave(), this.#S("client_left");
	}
	detach() {
		this.#C("ended");
	}
	async #d(e) {
		let t = e ?? await this.#f({ resume_token: this.#a });
		if (t.restored || (this.#c = !0), this.#n === "closed") throw new w("client_left");
		this.#i?.close();
		let n = new be({
			rtc: {
				iceServers: t.ice_servers,
				...this.#e.rtc
			},
			microphone: this.#e.microphone(),
			send: (e) => this.#r?.send(e),
			listener: {
				track: (e) => this.emit("track", e),
				message: (e) => this.emit("message", e),
				broken: () => this.emit("broken", void 0),
				flows: (e) => this.#w(e ? "media_flows" : "media_stopped"),
				lost: (e) => this.#g(e)
			}
		});
		this.#i = n;
		let r = await n.connect();
		return {
			restored: !this.#c,
			ready: r
		};
	}
	async #f(e) {
		let { room: t, name: n } = this.#e, r = {
			type: "join",
			room: t,
			name: n,
			token: await this.#e.token(),
			client_id: this.#t,
			...e
		}, [i, a] = await we.join(Ne(this.#e.url), r, {
			signal: (e) => this.#p(e),
			gone: () => this.#m()
		});
		if (this.#n === "closed") throw i.leave(), new w("client_left");
		return this.#r?.drop(), this.#r = i, this.#o = a.session_id, this.#a = a.resume_token ?? null, this.#a && this.emit("resumption", {
			token: this.#a,
			clientId: this.#t
		}), a;
	}
	#p(e) {
		this.#i?.signal(e);
		let t = this.#n === "connected" || this.#n === "shaky";
		e.type === "error" && t && this.emit("refused", new w(e.code, { detail: e.message })), e.type === "bye" && this.#n !== "connecting" && (me(e.reason) ? this.#g(e.reason) : this.#S(e.reason));
	}
	#m() {
		this.#r = null, this.#i?.fail(new w("connection_lost")), (this.#n === "connected" || this.#n === "shaky") && this.#h();
	}
	async #h() {
		let e = new t(performance.now(), De);
		for (let t = e.next(performance.now()); t !== null; t = e.next(performance.now())) {
			if (await i(t), this.#r !== null || !["connected", "shaky"].includes(this.#n)) return;
			try {
				let e = await this.#f({
					resume: !0,
					resume_token: this.#a
				});
				e.resumed || this.#g("signaling_lost", e);
				return;
			} catch (e) {
				if (!D(e)) break;
			}
		}
		this.#g("signaling_lost");
	}
	#g(e, t) {
		if (this.#n !== "connected" && this.#n !== "shaky") return;
		let n = performance.now() - this.#l < Oe;
		this.#u = n ? this.#u + 1 : 0, this.#u > ke ? this.#S(e) : (this.#w("lost"), this.emit("lost", void 0), this.#_(e, t));
	}
	async #_(e, n) {
		if (this.#c = !1, n !== void 0 && await this.#v(n) !== "again") return;
		let r = new t(performance.now(), Ee);
		for (let e = r.next(performance.now()); e !== null; e = r.next(performance.now())) if (await i(e), this.#x(), this.#n !== "rejoining" || await this.#v() !== "again") return;
		this.#S(e);
	}
	async #v(e) {
		try {
			let t = await this.#d(e);
			return this.#b(), this.emit("reconnected", t), this.#y(), "done";
		} catch (e) {
			return D(e) ? "again" : (this.#S(T(e).code), "over");
		}
	}
	#y() {
		let e = this.#s;
		this.#s = [];
		for (let t of e) this.#i?.send(t);
	}
	#b() {
		this.#l = performance.now(), this.#w("established");
	}
	#x() {
		this.#i?.close(), this.#r?.drop(), this.#i = this.#r = null;
	}
	#S(e) {
		if (this.#n === "closed") return;
		let t = this.#n !== "connecting" && this.#n !== "idle";
		this.#C("ended"), t && this.emit("ended", e);
	}
	#C(e) {
		this.#s = [], this.#x(), this.#w(e);
	}
	#w(e) {
		let t = this.state;
		this.#n = fe(this.#n, e), this.state !== t && this.emit("state", this.state);
	}
};
function D(e) {
	return je.has(T(e).code);
}
function Ne(e) {
	let t = new URL("ws", e);
	return t.protocol = t.protocol === "https:" ? "wss:" : "ws:", t.hash = t.search = "", t;
}
// src/devices.ts
var O = {
	echoCancellation: !0,
	noiseSuppression: !1,
	autoGainControl: !1,
	channelCount: 1
};
async function k() {
	let e = await navigator.mediaDevices?.enumerateDevices() ?? [], t = (t) => e.filter((e) => e.kind === t && e.deviceId !== "").map(({ deviceId: e, label: t }) => ({
		id: e,
		label: t
	}));
	return {
		microphones: t("audioinput"),
		outputs: t("audiooutput"),
		canChooseOutput: A()
	};
}
function A() {
	return typeof HTMLMediaElement < "u" && "setSinkId" in HTMLMediaElement.prototype;
}
async function Pe(e) {
	let t = e === null ? {} : { deviceId: { exact: e } };
	return (await navigator.mediaDevices.getUserMedia({ audio: {
		...O,
		...t
	} })).getAudioTracks()[0];
}
// src/stream.ts
var Fe = class {
	#e = [];
	#t = !1;
	#n = [];
	push(e) {
		this.#t || (this.#e.push(e), this.#r());
	}
	close() {
		this.#t = !0, this.#r();
	}
	async *[Symbol.asyncIterator]() {
		for (let e = 0;; e += 1) {
			for (; e >= this.#e.length;) {
				if (this.#t) return;
				await new Promise((e) => this.#n.push(e));
			}
			yield this.#e[e];
		}
	}
	#r() {
		let e = this.#n;
		this.#n = [];
		for (let t of e) t();
	}
}, Ie = class {
	#e = new Fe();
	#t = n();
	#n = n();
	#r;
	#i = !1;
	#a = null;
	constructor(e) {
		this.#r = e;
	}
	get usable() {
		return this.#t.promise;
	}
	get ready() {
		return this.#n.promise;
	}
	get isOver() {
		return this.#i !== !1;
	}
	stop() {
		this.isOver || (this.#r(), this.fail(new w("enrolment_stopped")));
	}
	async *[Symbol.asyncIterator]() {
		if (yield* this.#e, this.#i instanceof w) throw this.#i;
	}
	progressed(e) {
		let { heard_s: t, needed_s: n, quality: r } = e, i = n > 0 ? Math.min(1, t / n) : 0, [a, o, s] = [
			e.hint ?? null,
			e.hint_code ?? null,
			e.snr_db ?? null
		];
		this.#e.push({
			heardS: t,
			neededS: n,
			share: i,
			quality: r,
			snrDb: s,
			hint: a,
			hintCode: o
		});
	}
	becameUsable(e) {
		this.#a = Le(e), this.#t.resolve(this.#a);
	}
	settle() {
		return this.#a !== null && (this.#n.resolve(this.#a), this.#i = !0, this.#e.close(), !0);
	}
	becameReady(e) {
		this.becameUsable(e), this.settle();
	}
	fail(e) {
		this.isOver || (this.#i = e, this.#t.reject(e), this.#n.reject(e), this.#e.close());
	}
};
function Le(e) {
	return {
		voiceId: e.voice_id,
		heardS: e.heard_s,
		quality: e.quality,
		elapsedMs: e.elapsed_ms
	};
}
// src/http.ts
var Re = 3e4;
function ze(e) {
	return {
		body: JSON.stringify(e),
		headers: { "Content-Type": "application/json" }
	};
}
var Be = class {
	#e;
	#t;
	constructor(e, t) {
		this.#e = e, this.#t = t;
	}
	async json(e, t, n, r = {}) {
		let i = h(await (await this.request(e, t, r)).text());
		if (i === null || !f(n, i)) throw new w("bad_answer", { detail: t });
		return i;
	}
	async request(e, t, n = {}) {
		let r = new Headers(n.headers), i = await this.#t();
		i && r.set("Authorization", `Bearer ${i}`);
		let a = AbortSignal.timeout(Re), o;
		try {
			o = await fetch(new URL(t, this.#e), {
				cache: "no-store",
				signal: a,
				...n,
				method: e,
				headers: r
			});
		} catch (e) {
			throw T(e, a.aborted ? "timeout" : "unreachable");
		}
		if (!o.ok) throw await Ve(o);
		return o;
	}
};
async function Ve(e) {
	let { code: t = e.status === 401 ? "unauthorized" : "internal", message: n = e.statusText } = m(h(await e.text().catch(() => ""))?.error) ?? {};
	return new w(String(t), { detail: String(n) });
}
// src/memory.ts
var He = class {
	#e = {};
	#t = {};
	#n = /* @__PURE__ */ new Map();
	#r = null;
	asked(...[e, t]) {
		e === "controls.set" ? (t.utterance_id ?? "*") === "*" && (this.#e = {
			...this.#e,
			...t
		}) : e === "session.configure" ? this.#t = {
			...this.#t,
			...t
		} : e === "lexicon.set" ? this.#n.set(t.voice_id ?? "", t) : this.#r = [e, t];
	}
	learned() {
		this.#r = "learned";
	}
	get losesVoice() {
		return this.#r === "learned";
	}
	replay() {
		let e = [];
		Object.keys(this.#e).length > 0 && e.push(["controls.set", this.#e]), Object.keys(this.#t).length > 0 && e.push(["session.configure", this.#t]);
		for (let t of this.#n.values()) e.push(["lexicon.set", t]);
		return this.#r !== null && this.#r !== "learned" && e.push(this.#r), e;
	}
}, Ue = -120;
function We(e) {
	let t = 0;
	for (let n of e) t += n * n;
	return Math.max(Ue, 10 * Math.log10(t / Math.max(1, e.length) + 1e-12));
}
var j = class {
	#e;
	#t;
	#n;
	constructor(e, t = 1024) {
		this.#e = e, this.#t = e.context.createAnalyser(), this.#t.fftSize = t, this.#n = new Float32Array(t), e.connect(this.#t);
	}
	samples() {
		return this.#t.getFloatTimeDomainData(this.#n), this.#n;
	}
	dbfs() {
		return We(this.samples());
	}
	close() {
		this.#e.disconnect(this.#t);
	}
}, Ge = 2e3, Ke = class {
	#e = null;
	#t = !1;
	get isSilent() {
		return this.#t;
	}
	look(e, t) {
		if (!e) {
			let e = this.#t;
			return this.reset(), e ? "heard" : null;
		}
		return this.#e ??= t, this.#t || t - this.#e < Ge ? null : (this.#t = !0, "silent");
	}
	reset() {
		this.#e = null, this.#t = !1;
	}
}, qe = 400, Je = 32768, Ye = {
	NotAllowedError: ["denied", "microphone.denied"],
	SecurityError: ["denied", "microphone.denied"],
	NotFoundError: ["missing", "microphone.missing"],
	OverconstrainedError: ["missing", "microphone.missing"],
	NotReadableError: ["busy", "microphone.busy"],
	AbortError: ["busy", "microphone.busy"]
}, Xe = class {
	#e;
	#t = new Ke();
	#n = "off";
	#r = null;
	#i = !0;
	#a = null;
	#o = null;
	#s;
	#c = !1;
	#l = !1;
	#u = null;
	constructor(e) {
		this.#e = e;
	}
	get state() {
		return this.#n;
	}
	get track() {
		return this.#r;
	}
	get device() {
		let e = this.#r?.getSettings().deviceId ?? "";
		return this.#r === null ? null : {
			id: e,
			label: this.#r.label
		};
	}
	get dbfs() {
		return this.#o?.dbfs() ?? -120;
	}
	get muted() {
		return this.#c;
	}
	set muted(e) {
		this.#c = e, this.#r && (this.#r.enabled = !e), this.#t.reset();
	}
	async start(e = this.#a) {
		if (this.#a = e, !navigator.mediaDevices?.getUserMedia) return this.#_("denied", "page.insecure");
		try {
			return await this.#d(await M(e), !0), this.#r !== null;
		} catch (e) {
			let [t, n] = Ye[e?.name] ?? ["busy", "microphone.busy"];
			return this.#_(t, n);
		}
	}
	async use(e) {
		await this.#d(e, !1);
	}
	async stop() {
		this.#y(), this.#v("off"), await this.#e.send(null);
	}
	async devicesChanged() {
		if (["off", "denied"].includes(this.#n) || !this.#i) return;
		let { microphones: e } = await k();
		if (this.#n === "on") {
			if (!e.some(({ id: e }) => e === this.#a) || this.device?.id === this.#a) return;
		} else if (e.length === 0) return;
		await this.#h();
	}
	close() {
		this.#l = !0, this.#y(), this.#n = "off";
	}
	async #d(e, t) {
		this.#l ? t && e.stop() : (this.#y(), this.#r = e, this.#i = t, e.enabled = !this.#c, e.addEventListener("ended", () => {
			e === this.#r && this.#m();
		}), this.#v("on"), this.#f(e), await this.#e.send(e));
	}
	#f(e) {
		let t = this.#e.context();
		if (t !== null) {
			try {
				this.#o = new j(t.createMediaStreamSource(new MediaStream([e])), Je);
			} catch {
				return;
			}
			this.#s = setInterval(() => this.#p(t, e), qe);
		}
	}
	#p(e, t) {
		if (this.#c || e.state !== "running" && !t.muted) return this.#t.reset();
		let n = t.muted || !(this.#o?.samples().some((e) => e !== 0) ?? !0), r = this.#t.look(n, performance.now());
		r !== null && this.#e.notify(`microphone.${r}`);
	}
	async #m() {
		let e = this.#i;
		this.#y(), this.#v("lost"), e && await this.#h() || (await this.#e.send(null), this.#e.notify("microphone.lost"));
	}
	#h() {
		return this.#u ??= this.#g().finally(() => {
			this.#u = null;
		}), this.#u;
	}
	async #g() {
		try {
			await this.#d(await M(this.#a), !0);
		} catch {
			return !1;
		}
		return this.#r !== null && (this.#e.notify("microphone.changed", this.#r.label), !0);
	}
	#_(e, t) {
		return this.#n !== "on" && this.#v(e), this.#e.notify(t), !1;
	}
	#v(e) {
		e !== this.#n && (this.#n = e, this.#e.changed(e));
	}
	#y() {
		clearInterval(this.#s), this.#t.reset(), this.#o?.close(), this.#o = null;
		let e = this.#r;
		this.#r = null, this.#i && e?.stop();
	}
};
async function M(e) {
	try {
		return await Pe(e);
	} catch (t) {
		let n = ["OverconstrainedError", "NotFoundError"].includes(t?.name);
		if (e === null || !n) throw t;
		return Pe(null);
	}
}
// src/notices.ts
function Ze(e, t) {
	return {
		code: e,
		message: x(e, void 0, t),
		fault: S(e),
		detail: t
	};
}
// src/requests.ts
var Qe = 75e3, $e = class {
	#e = /* @__PURE__ */ new Map();
	#t = 0;
	async ask(e) {
		this.#t += 1;
		let t = `r${this.#t}`, r = n(), i = setTimeout(() => this.#n(t)?.reject(new w("timeout")), Qe);
		this.#e.set(t, {
			answer: r,
			timer: i
		});
		try {
			e(t);
		} catch (e) {
			this.#n(t)?.reject(e);
		}
		return r.promise;
	}
	take({ id: e, kind: t, fields: n }) {
		let r = this.#n(e);
		return t === "answer" ? r?.resolve(n) : r?.reject(N(n)), r !== void 0;
	}
	lost() {
		for (let e of [...this.#e.keys()]) this.#n(e)?.reject(new w("connection_lost"));
	}
	#n(e) {
		let t = this.#e.get(e);
		return clearTimeout(t?.timer), this.#e.delete(e), t?.answer;
	}
};
function N(e) {
	let { error: t, code: n, utterance_id: r } = e;
	return new w(typeof n == "string" ? n : "internal", {
		detail: typeof t == "string" ? t : "",
		utteranceId: typeof r == "string" ? r : void 0
	});
}
// src/sound.ts
var et = [
	"pointerdown",
	"keydown",
	"touchend"
], tt = class {
	context;
	#e;
	#t = new AbortController();
	#n = [];
	#r = !1;
	#i = !1;
	constructor(e) {
		this.#e = e, this.context = nt();
		let { signal: t } = this.#t;
		this.context?.addEventListener("statechange", () => this.#a(), { signal: t }), document.addEventListener("visibilitychange", () => {
			!document.hidden && this.#i && this.resume();
		}, { signal: t });
		for (let e of et) document.addEventListener(e, () => {
			this.#r && this.resume();
		}, {
			signal: t,
			capture: !0
		});
	}
	async play(e) {
		this.#n = [...this.#n.filter((t) => t !== e), e], this.#i = !0, await this.resume();
	}
	async resume() {
		this.context?.resume().catch(() => void 0);
		let e = (await Promise.allSettled(this.#n.map((e) => e.play()))).some((e) => e.status === "rejected" && e.reason?.name === "NotAllowedError");
		return this.#a(e);
	}
	close() {
		this.#t.abort();
		for (let e of this.#n) e.srcObject = null;
		this.#n = [], this.context?.close().catch(() => void 0);
	}
	#a(e = !1) {
		let t = this.context?.state ?? "running", n = e || t === "suspended" || t === "interrupted";
		return !this.#i || n === this.#r || (this.#r = n, this.#e(n ? t === "interrupted" ? "audio.interrupted" : "audio.blocked" : "audio.resumed")), !n;
	}
};
function nt() {
	let e = globalThis, t = e.AudioContext ?? e.webkitAudioContext;
	return t ? new t({ latencyHint: "interactive" }) : null;
}
var P = 2, F = 30;
function I(e, t, n) {
	let r = Math.max(1, Math.round(P * t / 1e3)), i = n ? F : 0;
	for (let t = 0; t + r <= e.length; t += r) if (We(e.subarray(t, t + r)) <= -50) i += P;
	else if (i >= F) return t;
	else i = 0;
	return -1;
}
function L(e, t) {
	return I(e, t, !0) < 0;
}
var rt = class {
	#e = 60;
	measured(e, t) {
		let n = Math.min(1e3, Math.max(0, t - e));
		this.#e += .5 * (n - this.#e);
	}
	get ms() {
		return this.#e;
	}
}, R = 2e3;
function* it(e) {
	let t = Array.from(e);
	for (let e = 0; e < t.length; e += R) yield t.slice(e, e + R).join("");
}
function at(e) {
	return e.length <= R;
}
var ot = class {
	#e = 0;
	#t = 0;
	unitOf(e, t) {
		for (t < this.#e && (this.#e = this.#t = 0); this.#e < t && this.#t < e.length;) this.#t += e.codePointAt(this.#t) > 65535 ? 2 : 1, this.#e += 1;
		return this.#t;
	}
}, st = 20, ct = class {
	#e;
	#t = "";
	#n;
	constructor(e) {
		this.#e = e;
	}
	push(e) {
		this.#t += e, this.#n === void 0 && this.#t !== "" && (this.#r(), this.#n = setTimeout(() => {
			this.#n = void 0, this.push("");
		}, st));
	}
	flush() {
		clearTimeout(this.#n), this.#n = void 0, this.#r();
	}
	#r() {
		let e = this.#t;
		this.#t = "", e !== "" && this.#e(e);
	}
}, lt = class {
	id;
	sentAt;
	#e;
	#t = n();
	#n = n();
	#r = new Fe();
	#i;
	#a = !1;
	constructor(e, t, n, r) {
		this.id = e, this.sentAt = r, this.#i = t, this.#e = n;
	}
	get text() {
		return this.#i;
	}
	get audible() {
		return this.#t.promise;
	}
	get finished() {
		return this.#n.promise;
	}
	get isOver() {
		return this.#a;
	}
	get words() {
		return this.#r;
	}
	append(e) {
		return this.#i += e, this.#e.append(this, e), this;
	}
	flush() {
		return this.#e.flush(this.id), this;
	}
	end() {
		return this.#e.end(this.id), this;
	}
	cancel() {
		this.#a || this.#e.cancel(this.id);
	}
	set(e) {
		return this.#e.set(this.id, e);
	}
	becameAudible(e) {
		this.#t.resolve(e);
	}
	spoke(e) {
		this.#r.push(e);
	}
	ended(e) {
		this.#a || (this.#a = !0, this.#t.resolve(null), this.#r.close(), this.#n.resolve({
			playedMs: 0,
			underruns: 0,
			error: null,
			...e
		}));
	}
}, ut = {
	voiceId: "voice_id",
	pitchSemitones: "pitch_semitones",
	emotionStrength: "emotion_strength"
};
function z(e) {
	let t = {};
	for (let [n, r] of Object.entries(e)) r !== void 0 && (t[ut[n] ?? n] = r);
	return t;
}
// src/speaking.ts
var dt = 256e3, B = 40, ft = 800, pt = class {
	#e;
	#t = /* @__PURE__ */ new Map();
	#n = new rt();
	#r = 0;
	#i = 0;
	#a;
	constructor(e) {
		this.#e = e;
	}
	get utterances() {
		return [...this.#t.values()].map(({ utterance: e }) => e);
	}
	speak(e, t) {
		if (typeof e != "string") return this.#f(e, t);
		let n = this.#o(t, e), { id: r } = n.utterance;
		return at(e) ? (n.opened = !0, this.#d(n, () => this.#e.send("utterance.speak", {
			...z(t),
			utterance_id: r,
			text: e
		}))) : this.#d(n, () => {
			this.#l(n, e), this.#e.send("utterance.end", { utterance_id: r });
		}), n.utterance;
	}
	open(e) {
		return this.#o(e, "").utterance;
	}
	interrupted() {
		for (let e of this.#t.values()) e.doubtful = e.opened;
	}
	restored(e) {
		for (let [t, n] of this.#t) n.doubtful && !e.includes(t) && this.#v(t, {
			how: "lost",
			error: new w("connection_lost")
		}), n.doubtful = !1;
		for (let t of e) this.#t.has(t) || (this.#o({}, "", t).opened = !0);
	}
	close(e) {
		for (let t of [...this.#t.keys()]) this.#v(t, {
			how: "lost",
			error: e
		});
	}
	refused(e, t) {
		return this.#t.has(e) ? (this.#v(e, {
			how: "failed",
			error: t
		}), !0) : !1;
	}
	started({ utterance_id: e, latency_ms: t }) {
		let n = this.#t.get(e);
		n !== void 0 && (n.serviceMs = t, n.toldAt = performance.now(), n.heardAt === null ? setTimeout(() => this.#_(n), n.alone ? ft : this.#n.ms) : this.#_(n));
	}
	word(e) {
		let t = this.#t.get(e.utterance_id);
		if (t === void 0) return;
		let { text: n } = t.utterance, r = t.offsets.unitOf(n, e.char_start), i = t.offsets.unitOf(n, e.char_end), a = {
			text: e.text,
			start: r,
			end: i,
			startMs: e.start_ms,
			endMs: e.end_ms
		};
		this.#m(() => {
			t.utterance.isOver || (t.utterance.spoke(a), this.#e.word(t.utterance, a));
		});
	}
	done({ utterance_id: e, audio_ms: t, underruns: n }) {
		this.#m(() => this.#v(e, {
			how: "done",
			playedMs: t,
			underruns: n
		}));
	}
	cancelled({ utterance_id: e, played_ms: t }) {
		this.#v(e, {
			how: "cancelled",
			playedMs: t
		});
	}
	failed({ utterance_id: e, code: t, message: n, played_ms: r }) {
		this.#v(e, {
			how: "failed",
			playedMs: r,
			error: new w(t, {
				detail: n,
				utteranceId: e
			})
		});
	}
	#o(e, t, n = this.#s()) {
		let r = new lt(n, t, this.#c(), performance.now()), i = this.#e.samples(), a = {
			utterance: r,
			delivery: e,
			opened: !1,
			doubtful: !1,
			offsets: new ot(),
			alone: i !== null && this.#t.size === 0,
			quiet: i !== null && L(i.samples, i.rateHz),
			heardAt: null,
			toldAt: null,
			serviceMs: null,
			audible: !1
		};
		return this.#t.set(n, a), a.alone && this.#h(a), a;
	}
	#s() {
		return this.#r += 1, `u${this.#r}-${ce().slice(0, 8)}`;
	}
	#c() {
		return {
			append: (e, t) => {
				let n = this.#t.get(e.id);
				n !== void 0 && this.#l(n, t);
			},
			flush: (e) => {
				this.#t.get(e)?.opened && this.#e.send("utterance.flush", { utterance_id: e });
			},
			end: (e) => this.#u(e),
			cancel: (e) => {
				this.#t.get(e)?.opened ? this.#e.send("utterance.cancel", { utterance_id: e }) : this.#v(e, { how: "cancelled" });
			},
			set: (e, t) => this.#e.set(e, t)
		};
	}
	#l(e, t) {
		for (let n of it(t)) {
			let t = e.opened ? {} : z(e.delivery);
			this.#e.send("utterance.append", {
				...t,
				utterance_id: e.utterance.id,
				text: n
			}), e.opened = !0;
		}
	}
	#u(e) {
		let t = this.#t.get(e);
		t !== void 0 && (t.opened ? this.#e.send("utterance.end", { utterance_id: e }) : this.#v(e, { how: "done" }));
	}
	#d(e, t) {
		try {
			t();
		} catch (t) {
			throw this.#v(e.utterance.id, {
				how: "failed",
				error: t
			}), t;
		}
	}
	#f(e, t) {
		let n = this.open(t);
		return this.#p(n, e), n;
	}
	async #p(e, t) {
		let n = new ct((t) => {
			e.isOver || e.append(t);
		});
		try {
			for await (let r of t) {
				for (; this.#e.bufferedBytes() > dt && !e.isOver;) await i(B);
				if (e.isOver) break;
				n.push(r);
			}
			n.flush(), e.end();
		} catch (t) {
			let n = t instanceof w ? t : new w("text_stream_failed", { cause: t });
			this.#v(e.id, {
				how: "failed",
				error: n
			}, () => e.cancel());
		}
	}
	#m(e) {
		let t = performance.now();
		this.#i = Math.max(this.#i, t + this.#n.ms), setTimeout(e, this.#i - t);
	}
	#h(e) {
		clearInterval(this.#a), this.#a = setInterval(() => {
			let t = this.#e.samples();
			if (t === null) return;
			let { samples: n, rateHz: r } = t, i = I(n, r, e.quiet);
			e.quiet ||= L(n, r);
			let a = performance.now() - 1e3 * (n.length - i) / r;
			i < 0 || a < e.utterance.sentAt || (e.heardAt = a, this.#g(e), e.toldAt !== null && this.#_(e));
		}, B);
	}
	#g(e) {
		e.alone && clearInterval(this.#a), e.alone = !1;
	}
	#_(e) {
		let { utterance: t, toldAt: n, heardAt: r } = e;
		if (e.audible || t.isOver || n === null) return;
		e.audible = !0, this.#g(e);
		let i = r !== null;
		i && this.#n.measured(n, r);
		let a = {
			latencyMs: (r ?? n + this.#n.ms) - t.sentAt,
			serviceMs: e.serviceMs,
			measured: i
		};
		t.becameAudible(a), this.#e.audible(t, a);
	}
	#v(e, t, n) {
		let r = this.#t.get(e);
		if (r === void 0) return;
		try {
			n?.();
		} catch {}
		this.#t.delete(e), this.#g(r);
		let { utterance: i } = r;
		i.ended(t), i.finished.then((e) => this.#e.finished(i, e));
	}
}, mt = 8192, ht = class {
	track;
	#e;
	#t;
	#n;
	#r;
	#i = null;
	#a = null;
	#o = null;
	constructor(e, t, n, r) {
		this.#e = e, this.#t = n, this.#n = e.context?.createMediaStreamDestination() ?? null, this.track = this.#n?.stream.getAudioTracks()[0] ?? null, this.#r = r ?? document.createElement("audio"), this.#r.muted = !t;
	}
	get remoteTrack() {
		return this.#o;
	}
	get dbfs() {
		return this.#a?.dbfs() ?? -120;
	}
	samples() {
		let e = this.#e.context;
		return this.#a === null || e?.state !== "running" ? null : {
			samples: this.#a.samples(),
			rateHz: e.sampleRate
		};
	}
	get muted() {
		return this.#r.muted;
	}
	set muted(e) {
		this.#r.muted = e;
	}
	get volume() {
		return this.#r.volume;
	}
	set volume(e) {
		this.#r.volume = e;
	}
	async setOutput(e) {
		if (!A()) return this.#t("output.fixed"), !1;
		try {
			await this.#r.setSinkId(e);
		} catch {
			return this.#t("output.missing"), !1;
		}
		return !0;
	}
	take(e) {
		this.#s(), this.#o = e;
		let t = new MediaStream([e]);
		this.#r.srcObject = t;
		let { context: n } = this.#e;
		n !== null && this.#n !== null && (this.#i = n.createMediaStreamSource(t), this.#i.connect(this.#n), this.#a = new j(this.#i, mt)), this.#e.play(this.#r);
	}
	close() {
		this.#s(), this.track?.stop();
	}
	#s() {
		this.#a?.close(), this.#i?.disconnect(), this.#a = this.#i = null;
	}
};
// src/stats.ts
function gt(e, t) {
	let n = V(e, "inbound-rtp", H), r = V(e, "outbound-rtp", H), i = V(e, "remote-inbound-rtp", H), a = vt(e), o = (e, n) => W(e, t, n), s = o(n, "packetsReceived"), c = o(n, "packetsLost");
	return {
		rttMs: J(U(a, "currentRoundTripTime") ?? U(i, "roundTripTime")),
		lossPercent: q(c, bt(s, c)),
		jitterMs: J(U(n, "jitter")),
		playoutDelayMs: J(K(o(n, "jitterBufferDelay"), o(n, "jitterBufferEmittedCount"))),
		concealedPercent: q(o(n, "concealedSamples"), o(n, "totalSamplesReceived")),
		receivedBps: G(n, t, "bytesReceived"),
		sentBps: G(r, t, "bytesSent"),
		sentLossPercent: Y(U(i, "fractionLost"), 100),
		relayed: yt(e, a)
	};
}
function _t(e) {
	let t = /* @__PURE__ */ new Map();
	return e.forEach((e, n) => t.set(n, e)), t;
}
function V(e, t, n) {
	for (let r of e.values()) if (r.type === t && n(r)) return r;
}
function H(e) {
	return (e.kind ?? e.mediaType) === "audio";
}
function vt(e) {
	let t = V(e, "transport", () => !0)?.selectedCandidatePairId;
	return typeof t == "string" ? e.get(t) : V(e, "candidate-pair", (e) => e.selected === !0 || e.nominated === !0);
}
function yt(e, t) {
	let n = e.get(String(t?.localCandidateId));
	return n === void 0 ? null : n.candidateType === "relay";
}
function U(e, t) {
	let n = e?.[t];
	return typeof n == "number" && Number.isFinite(n) ? n : null;
}
function W(e, t, n) {
	let r = U(e, n);
	if (r === null) return null;
	let i = U(t?.get(String(e?.id)), n) ?? 0;
	return r >= i ? r - i : r;
}
function G(e, t, n) {
	let r = t === null ? null : W(e, t, "timestamp"), i = W(e, t, n);
	return t?.has(String(e?.id)) ?? !1 ? Y(K(i, r), 8e3) : null;
}
function bt(e, t) {
	return e === null || t === null ? null : e + t;
}
function K(e, t) {
	return e === null || t === null || t <= 0 ? null : e / t;
}
function q(e, t) {
	return Y(K(e, t), 100);
}
function J(e) {
	return Y(e, 1e3);
}
function Y(e, t) {
	return e === null ? null : e * t;
}
// src/voices.ts
var xt = "application/octet-stream", St = 100, Ct = class {
	#e;
	#t;
	constructor(e, t) {
		this.#e = e, this.#t = t;
	}
	async list() {
		let e = [];
		for (let t = "";;) {
			let n = `limit=${St}${t && `&after=${encodeURIComponent(t)}`}`, r = await this.#e.json("GET", `v1/audio/voices?${n}`, wt);
			if (e.push(...r.data.map(Q)), !r.has_more) return e;
			t = String(r.last_id);
		}
	}
	use(e) {
		return this.#t.use(e);
	}
	mix(e) {
		return this.#t.mix(e);
	}
	save(e) {
		return this.#t.save(e);
	}
	async rename(e, t) {
		return Q(await this.#e.json("POST", Z(e), X, ze({ name: t })));
	}
	async export(e) {
		return (await this.#e.request("GET", `${Z(e)}/export`)).blob();
	}
	async import(e) {
		let t = {
			body: e,
			headers: { "Content-Type": xt }
		};
		return Q(await this.#e.json("POST", "v1/audio/voices/import", X, t));
	}
	async delete(e) {
		await this.#e.request("DELETE", Z(e));
	}
	async withdraw(e) {
		let t = `v1/audio/voice_consents/${encodeURIComponent(e)}`;
		return (await this.#e.json("DELETE", t, Tt)).voices_deleted ?? [];
	}
}, X = {
	id: "string",
	created_at: "number",
	name: "string",
	type: "string",
	consent: "string|null?",
	quality: "number|null?",
	expires_at: "number|null?"
}, wt = {
	data: "object[]",
	has_more: "boolean",
	last_id: "string|null?"
}, Tt = { voices_deleted: "string[]?" };
function Z(e) {
	return `v1/audio/voices/${encodeURIComponent(e)}`;
}
function Q(e) {
	if (!f(X, e)) throw new w("bad_answer");
	let t = e;
	return {
		id: t.id,
		name: t.name,
		kind: t.type === "stock" ? "stock" : "own",
		createdAt: /* @__PURE__ */ new Date(t.created_at * 1e3),
		consentId: t.consent ?? null,
		quality: t.quality ?? null,
		expiresAt: t.expires_at == null ? null : /* @__PURE__ */ new Date(t.expires_at * 1e3)
	};
}
// src/waiting.ts
var Et = 12e4, Dt = 5e3;
async function Ot(e, t, n) {
	let r = performance.now() + Et;
	for (;;) {
		let a = await fetch(new URL("readyz", e), {
			cache: "no-store",
			signal: n
		}).catch(() => null);
		if (n.aborted) throw new w("client_left");
		if (a === null) throw new w("unreachable");
		if (a.ok) return;
		let { status: o, reason: s } = h(await a.text()) ?? {};
		if (o === "at_capacity") throw new w("at_capacity");
		if (performance.now() > r) throw new w("not_ready", { detail: String(s) });
		t(String(s ?? "")), await i(Math.min(Dt, 1e3 * (Number(a.headers.get("Retry-After")) || 2)));
	}
}
// src/client.ts
var kt = {
	"voice.use": "voice.selected",
	"voice.mix": "voice.selected",
	"voice.save": "voice.saved",
	"session.configure": "session.configured",
	"lexicon.set": "lexicon.accepted",
	"stats.get": "stats"
}, At = class extends oe {
	microphone;
	speech;
	voices;
	#e;
	#t;
	#n;
	#r;
	#i;
	#a;
	#o = new $e();
	#s = new He();
	#c = new AbortController();
	#l = null;
	#u = null;
	constructor(e = {}) {
		super(), e.language !== void 0 && y(e.language), this.#t = e.microphone ?? !0, this.#e = new URL(e.url ?? ".", document.baseURI), this.#n = jt(e.token ?? null);
		let t = (e, t = "") => this.#w(e, t);
		this.#i = new tt(t), this.speech = new ht(this.#i, e.audible ?? !0, t, e.player), this.microphone = new Xe({
			send: (e) => this.#r.replaceMicrophone(e),
			context: () => this.#i.context,
			notify: t,
			changed: (e) => this.emit("microphone", e)
		}), this.#r = this.#d(e), this.#a = this.#f(), this.voices = new Ct(new Be(this.#e, this.#n), {
			use: async (e) => $(await this.#S("voice.use", { voice_id: e })),
			mix: async (e) => $(await this.#S("voice.mix", { weights: e })),
			save: (e) => this.#x(e)
		}), this.#h();
	}
	get state() {
		return this.#r.state;
	}
	get sessionId() {
		return this.#r.sessionId;
	}
	get peerConnection() {
		return this.#r.pc;
	}
	async connect() {
		if (this.state !== "idle") throw new w("call_over");
		if (typeof RTCPeerConnection > "u") throw new w("browser.unsupported");
		try {
			await Ot(this.#e, (e) => this.#w("service.starting", e), this.#c.signal), await this.#p();
			let { restored: e, ready: t } = await this.#r.open();
			return this.#a.restored(t.utterances ?? []), {
				restored: e,
				voiceLost: !1
			};
		} catch (e) {
			throw this.detach(), e;
		}
	}
	close() {
		this.#r.close(), this.#T();
	}
	detach() {
		this.#r.detach(), this.#T();
	}
	enrol(e) {
		let { consentVersion: t, consentId: n, consent: r, name: i } = e, a = {
			...r !== void 0 && { consent: r },
			...i !== void 0 && { name: i },
			...n !== void 0 && { consent_id: n },
			...t !== void 0 && { consent_version: t }
		}, o = new Ie(() => void this.#C("enrol.stop", {}).catch(() => void 0));
		return this.#l?.enrolment.fail(new w("enrolment_stopped")), this.#l = {
			enrolment: o,
			fields: a
		}, this.#C("enrol.start", a).catch((e) => o.fail(e)), o;
	}
	speak(e, t = {}) {
		return this.#a.speak(e, t);
	}
	open(e = {}) {
		return this.#a.open(e);
	}
	get utterances() {
		return this.#a.utterances;
	}
	cancel() {
		this.#r.send("utterance.cancel", {});
	}
	async control(e) {
		await this.#S("controls.set", z(e));
	}
	async setLexicon(e, t) {
		await this.#S("lexicon.set", {
			words: e,
			...t !== void 0 && { voice_id: t }
		});
	}
	async configure(e) {
		await this.#S("session.configure", e);
	}
	async stats() {
		let e = await this.#r.pc?.getStats();
		if (e === void 0) return null;
		let t = _t(e), n = this.#u;
		return this.#u = t, gt(t, n);
	}
	async serviceStats() {
		return await this.#C("stats.get", {});
	}
	devices() {
		return k();
	}
	async iceServers() {
		let { ice_servers: e } = await new Be(this.#e, this.#n).json("GET", "v1/realtime/ice-servers", { ice_servers: "object[]" });
		return e;
	}
	resumeAudio() {
		return this.#i.resume();
	}
	request(e, t) {
		return this.#C(e, t);
	}
	#d({ room: e = "default", name: t = "", rtc: n = {}, resume: r }) {
		return new Me({
			url: this.#e,
			token: this.#n,
			room: e,
			name: t,
			rtc: n,
			resume: r ?? null,
			microphone: () => this.microphone.track
		});
	}
	#f() {
		return new pt({
			send: (e, t) => this.#r.send(e, t),
			bufferedBytes: () => this.#r.bufferedBytes,
			set: async (e, t) => {
				await this.#C("controls.set", {
					...z(t),
					utterance_id: e
				});
			},
			samples: () => this.speech.samples(),
			audible: (e, t) => this.emit("audible", {
				utterance: e,
				audible: t
			}),
			word: (e, t) => this.emit("word", {
				utterance: e,
				word: t
			}),
			finished: (e, t) => this.emit("finished", {
				utterance: e,
				end: t
			})
		});
	}
	async #p() {
		if (this.#t === !1) return;
		typeof this.#t == "object" ? await this.microphone.use(this.#t) : await this.microphone.start(this.#t === !0 ? null : this.#t);
		let { signal: e } = this.#c;
		navigator.mediaDevices?.addEventListener("devicechange", () => void this.microphone.devicesChanged(), { signal: e }), this.#m(e);
	}
	#m(e) {
		navigator.permissions?.query({ name: "microphone" }).then((t) => {
			t.addEventListener("change", () => {
				t.state === "granted" && this.microphone.state === "denied" && this.microphone.start();
			}, { signal: e });
		}).catch(() => void 0);
	}
	#h() {
		this.#r.on("state", (e) => {
			e === "interrupted" && this.#w("connection.lost"), this.emit("state", e);
		}), this.#r.on("track", (e) => {
			this.speech.take(e), this.emit("track", e);
		}), this.#r.on("resumption", (e) => this.emit("resumption", e)), this.#r.on("message", (e) => this.#g(e)), this.#r.on("broken", () => this.emit("error", new w("bad_answer"))), this.#r.on("refused", (e) => this.emit("error", e)), this.#r.on("lost", () => {
			this.#o.lost(), this.#a.interrupted();
		}), this.#r.on("reconnected", (e) => this.#y(e)), this.#r.on("ended", (e) => {
			this.#T(), this.emit("closed", {
				reason: e,
				message: x(e),
				fault: S(e)
			});
		});
	}
	#g(e) {
		let { kind: t, name: n, fields: r } = e;
		t === "event" ? n === "error" ? this.#_(N(r)) : n !== "pong" && (this.#v(n, r), this.emit(n, r)) : !this.#o.take(e) && t === "refusal" && this.#_(N(r));
	}
	#_(e) {
		e.utteranceId !== void 0 && this.#a.refused(e.utteranceId, e) || this.emit("error", e);
	}
	#v(e, t) {
		let n = this.#l?.enrolment;
		switch (e) {
			case "utterance.started": return this.#a.started(t);
			case "utterance.word": return this.#a.word(t);
			case "utterance.done": return this.#a.done(t);
			case "utterance.cancelled": return this.#a.cancelled(t);
			case "utterance.failed": return this.#a.failed(t);
			case "voice.progress": return n?.progressed(t);
			case "voice.usable": return this.#s.learned(), n?.becameUsable(t);
			case "voice.ready": return this.#s.learned(), n?.becameReady(t);
			case "voice.rejected": return n?.fail(new w("voice_rejected", { detail: t.message }));
		}
	}
	#y({ restored: e, ready: t }) {
		let n = !e && this.#s.losesVoice;
		if (e) this.#a.restored(t.utterances ?? []);
		else {
			this.#a.restored([]);
			for (let [e, t] of this.#s.replay()) this.#C(e, t).catch(() => void 0);
		}
		this.#b(e), this.#w(e ? "connection.back" : "connection.new"), this.emit("reconnected", {
			restored: e,
			voiceLost: n
		});
	}
	#b(e) {
		if (this.#l === null || this.#l.enrolment.isOver) return;
		let { enrolment: t, fields: n } = this.#l;
		e && t.settle() || this.#C("enrol.start", n).catch((e) => t.fail(e));
	}
	async #x(e) {
		let t = $(await this.#C("voice.save", { name: e }));
		return this.#s.losesVoice && this.#s.asked("voice.use", { voice_id: t.voiceId }), t;
	}
	async #S(e, t) {
		let n = await this.#C(e, t);
		return this.#s.asked(e, t), n;
	}
	async #C(e, t) {
		let n = await this.#o.ask((n) => this.#r.send(e, t, n)), r = kt[e];
		if (r === void 0) return n;
		if (l(r, n) !== "fits") throw new w("bad_answer", { detail: e });
		return this.emit(r, n), n;
	}
	#w(e, t = "") {
		let n = Ze(e, t);
		this.emit(e, n), this.emit("notice", n);
	}
	#T() {
		this.#c.abort();
		let e = new w("connection_lost");
		this.#o.lost(), this.#a.close(e), this.#l?.enrolment.fail(e), this.microphone.close(), this.speech.close(), this.#i.close();
	}
};
function jt(e) {
	return async () => {
		try {
			return typeof e == "function" ? await e() : e;
		} catch (e) {
			throw T(e, "token_failed");
		}
	};
}
function $(e) {
	return {
		voiceId: String(e.voice_id),
		name: String(e.name)
	};
}
export { ae as CODES, j as LevelMeter, O as RAW_VOICE, Ue as SILENCE_DBFS, At as VoicePeer, w as VoicePeerError, A as canChooseOutput, b as currentLanguage, S as faultOf, k as listDevices, y as setLanguage, x as textOf };
