import { Worker } from 'node:worker_threads';

/** Milliseconds between two requests. */
const EVERY_MS = 5;

/** Runs in a thread of its own: the one of the test is busy with bodies of megabytes. */
const PROBER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Agent, request } = require('node:https');
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const probe = () => new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: workerData.port, path: '/livez', agent };
    request(options, (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', () => resolve(0)).end();
  });
  (async () => {
    for (;;) {
      const begun = performance.now();
      const status = await probe();
      parentPort.postMessage({ took: performance.now() - begun, status });
      await new Promise((resolve) => setTimeout(resolve, workerData.every));
    }
  })();
`;

/** Asks for /livez over and over, without credentials, and notes how long each response takes. */
export class LivezProber implements AsyncDisposable {
  readonly #worker: Worker;
  #took: number[] = [];

  constructor(port: number) {
    this.#worker = new Worker(PROBER, { eval: true, workerData: { port, every: EVERY_MS } });
    this.#worker.on('message', ({ took, status }: { took: number; status: number }) => {
      this.#took.push(status === 200 ? took : Number.POSITIVE_INFINITY);
    });
  }

  /** Waits for the first responses, which pay for the connection, and forgets them. */
  async warm(): Promise<void> {
    while (this.#took.length < 5) await new Promise((resolve) => this.#worker.once('message', resolve));
    this.#took = [];
  }

  figures(): { readonly p99: number; readonly max: number } {
    const sorted = this.#took.toSorted((a, b) => a - b);
    return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, max: sorted.at(-1) ?? 0 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
