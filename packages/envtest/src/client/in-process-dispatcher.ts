import type { Fetch } from '@apiserver/generic-server';

/** A request of undici's fetch. */
interface DispatchedRequest {
  readonly path: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array> | Uint8Array | string | null;
}

/** The receiver of a response, as undici 8 calls it. */
interface DispatchHandler {
  onRequestStart(controller: DispatchController, context: object): void;
  onResponseStart(controller: DispatchController, status: number, headers: object, statusText: string): void;
  onResponseData(controller: DispatchController, chunk: Uint8Array): void;
  onResponseEnd(controller: DispatchController, trailers: object): void;
  onResponseError(controller: DispatchController, error: unknown): void;
}

/** The flow of one response. */
class DispatchController {
  readonly #abort = new AbortController();
  rawHeaders: readonly Buffer[] = [];
  #resumed: PromiseWithResolvers<void> | undefined = undefined;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get aborted(): boolean {
    return this.#abort.signal.aborted;
  }

  get reason(): unknown {
    return this.#abort.signal.reason;
  }

  get paused(): boolean {
    return this.#resumed !== undefined;
  }

  abort(reason: unknown): void {
    this.#abort.abort(reason);
    this.resume();
  }

  pause(): void {
    this.#resumed ??= Promise.withResolvers();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  /** Resolves when the reader wants more. */
  resumed(): Promise<void> | undefined {
    return this.#resumed?.promise;
  }
}

/**
 * A dispatcher of undici, which is the transport of @kubernetes/client-node, over a `fetch` of the plane.
 * Source: https://undici.nodejs.org/#/docs/api/Dispatcher
 */
export class InProcessDispatcher {
  readonly #fetch: Fetch;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  dispatch(request: DispatchedRequest, handler: DispatchHandler): boolean {
    void this.#run(request, handler);
    return true;
  }

  async #run({ path, method, headers, body }: DispatchedRequest, handler: DispatchHandler): Promise<void> {
    const controller = new DispatchController();
    try {
      handler.onRequestStart(controller, {});
      const sent = await bytesOf(body);
      const response = await this.#fetch(path, {
        method,
        signal: controller.signal,
        ...(headers && { headers }),
        ...(sent && { body: sent }),
      });
      controller.rawHeaders = [...response.headers].flat().map((text) => Buffer.from(text, 'latin1'));
      handler.onResponseStart(controller, response.status, Object.fromEntries(response.headers), response.statusText);
      for await (const chunk of response.body ?? []) {
        handler.onResponseData(controller, chunk);
        await controller.resumed();
      }
      handler.onResponseEnd(controller, {});
    } catch (error) {
      handler.onResponseError(controller, error);
    }
  }
}

async function bytesOf(body: DispatchedRequest['body']): Promise<Uint8Array<ArrayBuffer> | string | undefined> {
  if (body === undefined || body === null || typeof body === 'string') return body ?? undefined;
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Uint8Array.from(Buffer.concat(chunks));
}
