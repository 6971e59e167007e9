import { rmSync } from 'node:fs';
import type { Logger } from '@apiserver/apiserver-contracts';
import { orStartupError, orStartupErrorLater, writeFileAtomically } from '@apiserver/component-base/process';
import type { KeyValueStore } from '@apiserver/registry-store';
import type { MemoryStore } from '@apiserver/registry-store/memory';
import { combinePowers, Faults, PlaneClock, Requests, TestEndpoint } from '@apiserver/test-powers';
import type { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import type { LaunchContext, LaunchedServer } from '../start/launch.js';
import { dataDirectoryOf } from '../storage/choose-places.js';

/** Dependencies of the endpoint besides its address. */
interface TestEndpointContext extends Pick<KubeApiserverOptions, 'testEndpoint' | 'data'> {
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The test endpoint of the command, and the hooks of its powers into the server. */
export class CommandTestEndpoint implements AsyncDisposable {
  readonly #endpoint: TestEndpoint;
  readonly #context: TestEndpointContext;
  readonly #clock = new PlaneClock();
  readonly #faults = new Faults(this.#clock);
  readonly #requests = new Requests({ faults: this.#faults });
  readonly #hooks = combinePowers([this.#requests, this.#faults]);
  /** Ends the server if its tests could not reach the endpoint. */
  readonly #failed = new AbortController();
  readonly #close = () => void this[Symbol.asyncDispose]();
  #store: MemoryStore | undefined = undefined;
  #file: string | undefined = undefined;

  private constructor(endpoint: TestEndpoint, context: TestEndpointContext) {
    this.#endpoint = endpoint;
    this.#context = context;
    context.signal.addEventListener('abort', this.#close, { once: true });
  }

  /** Listens, so that a port that is taken ends the start. Throws a StartupError. */
  static async open(context: TestEndpointContext): Promise<CommandTestEndpoint> {
    const { testEndpoint, data, logger } = context;
    // A launcher names the folder later.
    if (testEndpoint.file !== '' || !data.usesEtcd) removeFile(testEndpoint.pathIn(dataDirectoryOf(data)));
    const { host, port } = testEndpoint.listenAddress;
    const listening = TestEndpoint.listen({ host, port, logger: logger.named('test-endpoint') });
    return new CommandTestEndpoint(await orStartupErrorLater(listening, '--test-endpoint: '), context);
  }

  /** The hooks of the powers into the launch of the server. */
  get launching(): Pick<LaunchContext, 'clock' | 'configure' | 'prefersMemory' | 'signal' | 'wrapStore'> {
    return {
      signal: AbortSignal.any([this.#context.signal, this.#failed.signal]),
      clock: this.#clock,
      prefersMemory: true,
      wrapStore: (store) => {
        if (isMemoryStore(store)) this.#store = store;
        return this.#hooks.wrapStore(store);
      },
      configure: async (config) => {
        await this.#hooks.configure(config);
        const { adjustFilters } = config.generic;
        config.generic.adjustFilters = (filters) => this.#hooks.adjustFilters(adjustFilters(filters));
      },
    };
  }

  /** Offers the powers, and resolves with the path of the file with URL and token. Throws a StartupError. */
  async serve({ ended }: Pick<LaunchedServer, 'ended'>): Promise<string> {
    const { testEndpoint, data, logger } = this.#context;
    const { url, token } = this.#endpoint;
    const [clock, store, faults, requests] = [this.#clock, this.#store, this.#faults, this.#requests];
    requests.start();
    this.#endpoint.serve({ clock, store, faults, requests });
    const file = testEndpoint.pathIn(data.dataDirectory);
    try {
      orStartupError(
        () => writeFileAtomically(file, `${JSON.stringify({ url, token })}\n`, 0o600),
        '--test-endpoint-file: ',
      );
    } catch (error) {
      this.#failed.abort();
      await ended;
      throw error;
    }
    this.#file = file;
    logger.warning('The test endpoint is on: its token gives all power over this server', { url, file });
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#context.signal.removeEventListener('abort', this.#close);
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
    this.#file = undefined;
    await this.#hooks.stop();
    await this.#endpoint[Symbol.asyncDispose]();
  }
}

/** Tests wait for the file: one of an earlier server must not be there. Throws a StartupError. */
function removeFile(path: string): void {
  orStartupError(() => rmSync(path, { force: true }), '--test-endpoint-file: ');
}

function isMemoryStore(store: KeyValueStore): store is MemoryStore {
  return 'snapshot' in store && 'restore' in store;
}
