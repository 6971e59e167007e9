/** Upstream: defaultIdleConnectionTimeout in k8s.io/apiserver/pkg/util/proxy/websocket.go */
export const IDLE_CONNECTION_TIMEOUT = 4 * 60 * 60 * 1000;

/** Calls `expire` if `touch` was not called for `timeout` milliseconds. Does not keep the process alive. */
export class IdleTimer implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor(timeout: number, expire: () => void) {
    this.#timer = setTimeout(expire, timeout).unref();
  }

  touch(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
