// Browsers start no worker of a page that was opened from a folder: there, the search runs in a hidden frame.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(address, document.baseURI);
      script.onload = () => this.waiting.splice(0).forEach((data) => this.hand(data), (this.ready = true));
      frame.contentDocument.head.append(script);
    }

    postMessage(data) {
      if (this.ready) this.hand(data);
      else this.waiting.push(data);
    }

    hand(data) {
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
