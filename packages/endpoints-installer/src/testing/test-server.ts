import type { KindCodec } from '@apiserver/apimachinery/codec';
import type {
  AdmissionChain,
  AnyResourceDefinition,
  ApiResponse,
  Authorizer,
  Logger,
} from '@apiserver/apiserver-contracts';
import { type ApiContainer, type ApiContainerOptions, createApiContainer } from '../container/api-container.js';
import { createMemoryRestStorage, type MemoryRestStorage } from './memory-rest-storage.js';
import { testCodec, testDefinition } from './test-definition.js';
import { createTestExchange, responseBody, type TestExchange, type TestExchangeOptions } from './test-exchange.js';

/** A response as the client sees it. */
interface TestResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
  readonly exchange: TestExchange;
  readonly response: ApiResponse;
}

/** A container that serves ConfigMaps from memory. */
export interface TestServer {
  readonly container: ApiContainer;
  readonly storage: MemoryRestStorage;
  readonly definition: AnyResourceDefinition;
  /** Messages that were logged as errors. */
  readonly logged: readonly unknown[];
  /** The whole response; throws if the container has no handler for the path. */
  call(options: TestExchangeOptions): Promise<TestResponse>;
  /** The response before its body is read. */
  start(exchange: TestExchange): Promise<ApiResponse>;
}

/** Options of a test server. */
export interface TestServerOptions extends Partial<ApiContainerOptions> {
  readonly definition?: AnyResourceDefinition;
  /** Of the definition's kind; default: of ConfigMaps. */
  readonly codec?: KindCodec;
}

const noAdmission: AdmissionChain = {
  handles: () => false,
  admit: () => Promise.resolve(),
  validate: () => Promise.resolve(),
};

const allowAll: Authorizer = { authorize: () => ({ decision: 'Allow', reason: '' }) };

/** Creates a test server. It needs no port. */
export function createTestServer(given: TestServerOptions = {}): TestServer {
  const { definition = testDefinition(), codec = testCodec(), ...options } = given;
  const logged: unknown[] = [];
  const container = createApiContainer({
    admission: noAdmission,
    authorizer: allowAll,
    logger: collectingLogger(logged),
    now: () => Date.parse('2024-01-02T03:04:05Z'),
    random: () => 0.5,
    ...options,
  });
  const storage = createMemoryRestStorage({ definition, codec });
  const subresources = Object.fromEntries(Object.keys(definition.subresources).map((name) => [name, storage]));
  const versions = definition.versions.map(({ version }) => version);
  container.install({ group: definition.group, versions, resources: [{ definition, storage, subresources }] });

  async function start(exchange: TestExchange): Promise<ApiResponse> {
    const handler = container.handlerFor(exchange);
    if (handler === undefined) throw new TypeError(`no handler for ${exchange.request.url}`);
    return handler(exchange);
  }
  return {
    container,
    storage,
    definition,
    logged,
    start,
    call: async (request) => {
      const exchange = createTestExchange(request);
      const response = await start(exchange);
      const bytes = response.type === 'value' ? new Uint8Array() : await responseBody(response);
      return {
        status: 'status' in response ? response.status : 0,
        contentType: exchange.responseHeaders.get('content-type'),
        text: Buffer.from(bytes).toString(),
        bytes,
        warnings: exchange.warnings,
        exchange,
        response,
      };
    },
  };
}

function collectingLogger(logged: unknown[]): Logger {
  const logger: Logger = {
    info: () => undefined,
    warning: () => undefined,
    error: (error) => void logged.push(error),
    v: () => undefined,
    named: () => logger,
  };
  return logger;
}
