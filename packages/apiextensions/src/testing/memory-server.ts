import { randomInt, randomUUID } from 'node:crypto';
import { systemClock } from '@apiserver/apimachinery/clock';
import { throwingLogger as logger } from '@apiserver/apiserver-contracts/testing';
import {
  completeGenericServerConfig,
  newEmptyDelegate,
  newGenericServerConfig,
  newServerContext,
  notFoundHandler,
} from '@apiserver/generic-server';
import { callHandler } from '@apiserver/generic-server/testing';
import { createStorageProvider } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { memoizedCodecs } from '@apiserver/registry-store/testing';
import { type ApiextensionsConfig, newApiextensionsServer } from '../server/apiextensions-server.js';

/** A request of an administrator. */
export interface MemoryRequest {
  readonly method: string;
  readonly path: string;
  /** Content type of the body; default JSON. */
  readonly type?: string;
  readonly accept?: string;
  readonly body?: string | Uint8Array;
}

/** Options of a server in memory. */
export interface MemoryServerOptions
  extends Pick<ApiextensionsConfig, 'resolveService' | 'uncached' | 'serverCount'>,
    Partial<Pick<ApiextensionsConfig, 'clock'>> {
  /** `@apiserver/apimachinery/codec/cbor`, to serve and store CBOR. */
  readonly cbor?: ApiextensionsConfig['generic']['cbor'];
}

/** A server of custom resources in memory, which is asked without sockets. */
export function startInMemory({ cbor, ...options }: MemoryServerOptions = {}) {
  const user = { name: 'admin', groups: ['system:masters'], extra: {} };
  const authenticator = { authenticateRequest: async () => ({ user }) };
  const generic = completeGenericServerConfig({
    ...newGenericServerConfig(newServerContext({ logger })),
    authenticator,
    ...(cbor && { cbor }),
  });
  const store = generic.disposables.use(createMemoryStore({ clock: systemClock }));
  const codecFor = memoizedCodecs();
  const provider = generic.disposables.use(
    createStorageProvider({ store, root: '/registry', clock: systemClock, codecFor }),
  );
  const install = { clock: systemClock, random: randomInt, newUid: randomUUID };
  const { server } = newApiextensionsServer(
    { generic, provider, store, storagePrefix: '/registry', clock: systemClock, codecFor, install, logger, ...options },
    newEmptyDelegate(notFoundHandler),
  );
  const stopping = new AbortController();
  const { loopbackClient } = server;
  const started = Promise.all(
    [...server.postStartHooks.values()].map((hook) => hook({ signal: stopping.signal, loopbackClient })),
  );
  const stop = async () => {
    stopping.abort();
    await server.dispose();
  };
  const ask = async ({ method, path, type = 'application/json', accept = 'application/json', body }: MemoryRequest) => {
    const response = await callHandler(server.handler, {
      method,
      url: path,
      headers: { accept, 'user-agent': 'diff/1', ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    });
    const warnings = [response.headers['warning'] ?? []]
      .flat()
      .flatMap((header) => [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)])
      .map(([, text = '']) => text.replace(/\\(.)/g, '$1'))
      .sort();
    const { status: code, body: text, bytes } = response;
    const contentType = String(response.headers['content-type'] ?? '');
    // A group that is not served yet is refused in plain text.
    const json = contentType.startsWith('application/json') ? JSON.parse(text) : {};
    return { code, json, text, bytes, contentType, warnings };
  };
  return { ask, started, stop, store, loopbackClient, metrics: generic.metrics };
}

/** Requests a path until it exists and has the expected content. */
export async function until(
  { ask }: Pick<ReturnType<typeof startInMemory>, 'ask'>,
  path: string,
  holds: (json: { readonly [key: string]: unknown }) => boolean,
): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    const { code, json } = await ask({ method: 'GET', path });
    if (code === 200 && holds(json)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${path} did not get there`);
}
