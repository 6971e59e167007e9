import { type MemoryServerOptions, startInMemory, until } from './memory-server.js';

/** The URL of definitions. */
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The definition of the cluster-scoped kind T, `ts.g.io`. */
export function definitionOfT(versions: readonly object[]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ts.g.io' },
    spec: { group: 'g.io', scope: 'Cluster', names: { plural: 'ts', kind: 'T' }, versions },
  };
}

/** A server in memory that serves all versions of `definitionOfT`. Stop it at the end. */
export async function startDefined(
  versions: readonly { readonly name: string; readonly [member: string]: unknown }[],
  options: MemoryServerOptions = {},
): Promise<ReturnType<typeof startInMemory>> {
  const server = startInMemory(options);
  await server.started;
  await server.ask({ method: 'POST', path: DEFINITIONS, body: JSON.stringify(definitionOfT(versions)) });
  for (const { name } of versions) await until(server, `/apis/g.io/${name}/ts`, () => true);
  return server;
}
