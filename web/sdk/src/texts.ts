/** What people are told, by code, in each language. */

/** Who can do something about it; `page` is the application's own code. */
export type Fault = "user" | "page" | "service" | "network" | "browser";
/** A language that there are texts in. */
export type Language = "en" | "zh";

type Row = readonly [fault: Fault, en: string, zh: string];

/** `{detail}` stands for the service's own words. */
const ROWS = {
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
  "service.starting": ["service", "The service is getting ready. Waiting for it …", "服务正在准备，请稍候……"],
} as const satisfies Record<string, Row>;

/** A code that there is a text for. */
export type Code = keyof typeof ROWS;

const OF_HTTP: Readonly<Record<string, Code>> = {
  rate_limit_exceeded: "rate_limited",
  invalid_api_key: "unauthorized",
  invalid_token: "token_refused",
};

/** All codes that there are texts for. */
export const CODES = Object.keys(ROWS) as readonly Code[];

let chosen: Language | null = null;

/** Choose the language of all that people are told on this page; `null` is the browser's. */
export function setLanguage(language: Language | null): void {
  chosen = language;
}

/** The language that was chosen, or that of the browser. */
export function currentLanguage(): Language {
  const browsers = globalThis.navigator?.language?.toLowerCase() ?? "";
  return chosen ?? (browsers.startsWith("zh") ? "zh" : "en");
}

/** What to tell a person; of a code that is not known, the service's own words. */
export function textOf(code: string, language: Language = currentLanguage(), detail = ""): string {
  const row = rowOf(code);
  if (row === undefined) return detail || `${textOf("internal", language)} (${code})`;
  return row[language === "zh" ? 2 : 1].replace("{detail}", () => detail);
}

/** Who can do something about it; what only the service knows is the service's. */
export function faultOf(code: string): Fault {
  return rowOf(code)?.[0] ?? "service";
}

function rowOf(code: string): Row | undefined {
  const known = OF_HTTP[code] ?? code;
  return Object.hasOwn(ROWS, known) ? ROWS[known as Code] : undefined;
}
