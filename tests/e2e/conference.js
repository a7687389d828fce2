/** Two ends of a conference in one page: what the first sends, the second plays. */

import { speakForMe } from "./plain.js";

const service = "SERVICE";
const [here, there] = [new RTCPeerConnection(), new RTCPeerConnection()];
here.addEventListener("icecandidate", ({ candidate }) => void there.addIceCandidate(candidate));
there.addEventListener("icecandidate", ({ candidate }) => void here.addIceCandidate(candidate));
there.addEventListener("track", ({ track }) => {
  document.getElementById("others").srcObject = new MediaStream([track]);
});

async function meet() {
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
  const sender = here.addTrack(microphone.getAudioTracks()[0]);
  await here.setLocalDescription();
  await there.setRemoteDescription(here.localDescription);
  await there.setLocalDescription();
  await here.setRemoteDescription(there.localDescription);
  return sender;
}

/** The last data channel that was made, so that a test can break it. */
const create = RTCPeerConnection.prototype.createDataChannel;
RTCPeerConnection.prototype.createDataChannel = function (...options) {
  window.channel = create.apply(this, options);
  return window.channel;
};

window.told = [];
document.getElementById("speak-for-me").addEventListener("click", async () => {
  const tell = (message) => {
    window.told.push(message);
    document.getElementById("told").textContent = message;
  };
  try {
    window.sender = await meet();
    window.peer = await speakForMe(window.sender, { service, token: async () => "TOKEN", tell });
  } catch (error) {
    window.failed = String(error?.stack ?? error);
  }
});
