import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes, AdmissionChain } from '@apiserver/apiserver-contracts';
import type { TestExchangeOptions } from './test-exchange.js';
import { createTestServer, type TestServer, type TestServerOptions } from './test-server.js';

export const CONFIG_MAPS = '/api/v1/namespaces/n/configmaps';
export const CONFIG_MAP_A = `${CONFIG_MAPS}/a`;

/** A body of ConfigMap a. */
export function configMapBody(rest: object = {}, metadata: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, ...rest };
}

/** A server that has ConfigMap a. */
export function serverWithA(options: TestServerOptions = {}): TestServer {
  const made = createTestServer(options);
  made.storage.put({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'n', uid: 'uid-a' },
    data: { k: '1' },
  });
  return made;
}

/** The request, its differences, the code and the message of the response. */
export type Refusal = readonly [string, TestExchangeOptions, number, string];

/** The code and message of a refusal. */
export async function refusalOf(
  { call }: TestServer,
  options: TestExchangeOptions,
): Promise<readonly [number, string]> {
  const { status, text } = await call(options);
  return [status, JSON.parse(text).message];
}

/** An admission chain that records each call in one line, and runs a function of the test. */
export function recordingChain(
  actions: { admit?(attributes: AdmissionAttributes): void; validate?(attributes: AdmissionAttributes): void } = {},
): { readonly admission: AdmissionChain; readonly seen: readonly string[] } {
  const seen: string[] = [];
  const note = (phase: string, attributes: AdmissionAttributes) => {
    const { operation, namespace, name, object, oldObject, dryRun } = attributes;
    const names = [object?.metadata.name, oldObject?.metadata.name];
    seen.push([phase, operation, `${namespace}/${name}`, ...names, dryRun].join(' '));
  };
  const admission: AdmissionChain = {
    handles: () => true,
    admit: async (attributes) => {
      note('admit', attributes);
      actions.admit?.(attributes);
    },
    validate: async (attributes) => {
      note('validate', attributes);
      actions.validate?.(attributes);
    },
  };
  return { admission, seen };
}
