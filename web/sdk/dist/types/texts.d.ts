/** What people are told, by code, in each language. */
/** Who can do something about it; `page` is the application's own code. */
export type Fault = "user" | "page" | "service" | "network" | "browser";
/** A language that there are texts in. */
export type Language = "en" | "zh";
/** `{detail}` stands for the service's own words. */
declare const ROWS: {
    readonly unauthorized: readonly ["user", "This service needs a valid access key. Enter it and try again.", "此服务需要有效的访问密钥。请输入密钥后重试。"];
    readonly token_refused: readonly ["service", "The service does not take the access token that this page was given: {detail}", "服务不接受此页面获得的访问令牌：{detail}"];
    readonly token_expired: readonly ["user", "The access token has expired. Get a new one and try again.", "访问令牌已过期。请获取新令牌后重试。"];
    readonly forbidden: readonly ["user", "Your access key does not allow this. Ask whoever gave it to you.", "您的访问密钥没有此权限。请联系密钥的提供者。"];
    readonly origin_not_allowed: readonly ["service", "This page may not use the service: its operator has to allow the page's address.", "此页面不能使用该服务：需要服务管理员允许本页面的地址。"];
    readonly rate_limited: readonly ["user", "That was too much at once. Wait a minute, then try again.", "请求过于频繁。请稍等一分钟后重试。"];
    readonly at_capacity: readonly ["service", "All places are taken at the moment. Try again in a minute.", "目前名额已满。请一分钟后重试。"];
    readonly room_full: readonly ["service", "This room is full at the moment. Try again in a minute.", "此房间目前已满。请一分钟后重试。"];
    readonly room_elsewhere: readonly ["service", "This room is at another service, which could not be gone to: {detail}", "此房间位于另一服务，无法前往：{detail}"];
    readonly store_unavailable: readonly ["service", "The service cannot reach its voices at the moment, and nothing was changed. Try again in a moment.", "服务暂时无法访问声音存储，未作任何更改。请稍后重试。"];
    readonly not_ready: readonly ["service", "The service is getting ready. Try again in a moment.", "服务正在准备中。请稍后重试。"];
    readonly shutting_down: readonly ["service", "The service is being restarted. Try again in a minute.", "服务正在重启。请一分钟后重试。"];
    readonly protocol_unsupported: readonly ["user", "This page is older or newer than the service. Reload it.", "此页面与服务的版本不匹配。请刷新页面。"];
    readonly controls_rejected: readonly ["user", "It cannot be spoken like this: {detail}", "无法以此方式朗读：{detail}"];
    readonly text_rejected: readonly ["user", "This text cannot be said: {detail}", "此文本无法朗读：{detail}"];
    readonly text_too_long: readonly ["user", "This text is too long. Say it in parts.", "文本过长。请分段朗读。"];
    readonly text_stream_failed: readonly ["user", "The source of the text has failed; what had come of it was cut off.", "文本来源出错，后续内容已中断。"];
    readonly enrolment_stopped: readonly ["user", "Learning was stopped. The voice stays as it is.", "录制已停止，声音保持不变。"];
    readonly voice_not_ready: readonly ["user", "There is no voice yet. Learn one or choose one first.", "还没有可用的声音。请先录制或选择一个声音。"];
    readonly voice_not_found: readonly ["user", "This voice does not exist any more. Choose another one.", "此声音已不存在。请选择其他声音。"];
    readonly voice_exists: readonly ["user", "There is a voice of this name already. Choose another name.", "已有同名的声音。请换一个名称。"];
    readonly voice_rejected: readonly ["user", "The voice could not be learned: {detail}", "无法学习此声音：{detail}"];
    readonly voice_file_invalid: readonly ["user", "This file holds no voice that can be used. Choose one that was exported here.", "此文件不包含可用的声音。请选择从本服务导出的文件。"];
    readonly consent_not_found: readonly ["user", "The consent does not exist any more. Give it again.", "授权已不存在。请重新授权。"];
    readonly consent_withdrawn: readonly ["user", "The speaker has withdrawn their consent to this voice.", "说话人已撤回对此声音的授权。"];
    readonly consent_speaker: readonly ["user", "Somebody else than the speaker has consented. The speaker has to agree.", "授权人与说话人不一致。须由说话人本人同意。"];
    readonly language_unsupported: readonly ["user", "The service does not speak this language. Choose another one.", "服务不支持此语言。请选择其他语言。"];
    readonly engine_failed: readonly ["service", "The service could not say this. Try again.", "服务未能朗读此文本。请重试。"];
    readonly engine_busy: readonly ["service", "The service has too much to say at the moment. Try again in a minute.", "服务当前繁忙。请一分钟后重试。"];
    readonly bad_message: readonly ["service", "The service did not understand this page. Reload it.", "服务无法理解此页面的请求。请刷新页面。"];
    readonly bad_answer: readonly ["service", "The service has said something that this page does not understand. Reload the page.", "页面无法理解服务的回复。请刷新页面。"];
    readonly internal: readonly ["service", "The service has a problem of its own. Try again.", "服务出现内部问题。请重试。"];
    readonly not_in_room: readonly ["user", "You are in no room. Join it first.", "您不在房间中。请先加入。"];
    readonly participant_not_found: readonly ["user", "They are in the room no more.", "此人已不在房间中。"];
    readonly recording_unavailable: readonly ["service", "The service cannot record rooms: its operator has set up no place for recordings.", "此服务无法录音：管理员尚未设置录音存放位置。"];
    readonly not_recording: readonly ["user", "Nothing is being recorded at the moment.", "目前没有录音。"];
    readonly kept_out: readonly ["user", "You were put out of this room a short while ago. Wait a minute, then join it again.", "您刚被请出此房间。请稍等一分钟后再加入。"];
    readonly kicked: readonly ["user", "You were put out of the room. You can come back in a minute.", "您已被请出房间。一分钟后可再次加入。"];
    readonly room_ended: readonly ["user", "The room was ended for everybody.", "房间已被结束。"];
    readonly unreachable: readonly ["network", "The service cannot be reached. Check the connection, then try again.", "无法连接到服务。请检查网络后重试。"];
    readonly no_service: readonly ["service", "There is no VoicePeer service at this address: {detail}", "此地址没有 VoicePeer 服务：{detail}"];
    readonly no_connection: readonly ["network", "No media connection came about. A firewall may block it: ask for a TURN server.", "无法建立媒体连接，可能被防火墙阻止。请联系管理员配置 TURN 服务器。"];
    readonly connection_lost: readonly ["network", "The connection was lost.", "连接已断开。"];
    readonly not_connected: readonly ["network", "There is no connection to the service. Start the call first.", "尚未连接到服务。请先开始通话。"];
    readonly misuse: readonly ["page", "This page has a mistake in its program. {detail}", "此页面的程序有误。{detail}"];
    readonly call_over: readonly ["user", "This call is over. Start another one.", "此通话已结束。请重新开始。"];
    readonly token_failed: readonly ["network", "The page could not get its access to the service. Check the connection, then try again.", "页面无法获取服务的访问权限。请检查网络后重试。"];
    readonly timeout: readonly ["network", "The service took too long to answer. Try again.", "服务响应超时。请重试。"];
    readonly client_left: readonly ["user", "The call was ended here.", "通话已在此结束。"];
    readonly replaced: readonly ["user", "The call goes on in another tab or on another device.", "通话已在其他标签页或设备上继续。"];
    readonly resumed_elsewhere: readonly ["user", "The call goes on in another tab or on another device.", "通话已在其他标签页或设备上继续。"];
    readonly connect_timeout: readonly ["network", "No media connection came about. A firewall may block it: ask for a TURN server.", "无法建立媒体连接，可能被防火墙阻止。请联系管理员配置 TURN 服务器。"];
    readonly client_vanished: readonly ["network", "The service heard nothing from this page any more.", "服务收不到此页面的任何信息。"];
    readonly channel_closed: readonly ["network", "The connection was lost.", "连接已断开。"];
    readonly signaling_lost: readonly ["network", "The connection to the service was lost.", "与服务的连接已断开。"];
    readonly ended_by_operator: readonly ["service", "Whoever runs the service has ended the call.", "服务管理员已结束通话。"];
    readonly "page.insecure": readonly ["browser", "Browsers allow the microphone only over HTTPS or on localhost. Open this page at such an address.", "浏览器仅允许在 HTTPS 或 localhost 下使用麦克风。请通过此类地址打开页面。"];
    readonly "browser.unsupported": readonly ["browser", "This browser cannot make calls (WebRTC is missing or turned off). Use a current Chrome, Edge, Firefox or Safari.", "此浏览器无法通话（缺少或已禁用 WebRTC）。请使用最新版 Chrome、Edge、Firefox 或 Safari。"];
    readonly "microphone.denied": readonly ["user", "The microphone was not allowed, so you can only listen. Allow it beside the page's address, then try again.", "麦克风未获允许，您只能收听。请在地址栏旁允许使用麦克风后重试。"];
    readonly "microphone.missing": readonly ["user", "No microphone was found, so you can only listen. Connect one, then try again.", "未找到麦克风，您只能收听。请连接麦克风后重试。"];
    readonly "microphone.busy": readonly ["user", "The microphone is in use by another program. Close that, then try again.", "麦克风正被其他程序占用。请关闭该程序后重试。"];
    readonly "microphone.lost": readonly ["user", "The microphone is gone. Connect it again or choose another one.", "麦克风已断开。请重新连接或选择其他麦克风。"];
    readonly "microphone.changed": readonly ["user", "The call goes on with another microphone: {detail}", "通话已切换到其他麦克风：{detail}"];
    readonly "microphone.silent": readonly ["user", "The microphone gives no sound at all. Is it muted, by a switch or in the system's settings?", "麦克风没有任何声音。请检查是否在硬件开关或系统设置中被静音。"];
    readonly "microphone.heard": readonly ["user", "The microphone gives sound again.", "麦克风已恢复声音。"];
    readonly "audio.blocked": readonly ["browser", "The browser blocks sound until you click or press a key on the page.", "浏览器已阻止声音。请点击页面或按任意键。"];
    readonly "audio.interrupted": readonly ["browser", "Another app or a phone call has taken the sound. It comes back when that is over.", "声音被其他应用或来电占用，结束后会自动恢复。"];
    readonly "audio.resumed": readonly ["browser", "Sound is on.", "声音已开启。"];
    readonly "output.fixed": readonly ["browser", "This browser plays only through the system's default output. Change it in the system's settings.", "此浏览器只能使用系统默认输出设备。请在系统设置中更改。"];
    readonly "output.missing": readonly ["user", "This loudspeaker cannot be used. Connect it again or choose another one.", "无法使用此扬声器。请重新连接或选择其他扬声器。"];
    readonly "connection.lost": readonly ["network", "The connection was lost. Coming back …", "连接已断开，正在重新连接……"];
    readonly "connection.back": readonly ["network", "The connection is back. The call goes on where it was.", "连接已恢复，通话继续。"];
    readonly "connection.new": readonly ["service", "The service has forgotten the call, so a new one was begun.", "服务已丢失原通话，已开始新的通话。"];
    readonly "service.starting": readonly ["service", "The service is getting ready. Waiting for it …", "服务正在准备，请稍候……"];
};
/** A code that there is a text for. */
export type Code = keyof typeof ROWS;
/** All codes that there are texts for. */
export declare const CODES: readonly Code[];
/** Choose the language of all that people are told on this page; `null` is the browser's. */
export declare function setLanguage(language: Language | null): void;
/** The language that was chosen, or that of the browser. */
export declare function currentLanguage(): Language;
/** What to tell a person; of a code that is not known, the service's own words. */
export declare function textOf(code: string, language?: Language, detail?: string): string;
/** Who can do something about it; what only the service knows is the service's. */
export declare function faultOf(code: string): Fault;
export {};
