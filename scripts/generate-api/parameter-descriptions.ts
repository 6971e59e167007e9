import { commentText, type Descriptions } from './model-descriptions.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const CORE = 'io.k8s.api.core.v1';

/** Options that only stand in queries, and a request of the client's that has all of them. */
const requests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'meta/v1': {
    [`${META}.CreateOptions`]: 'CreateNamespacedConfigMap',
    [`${META}.ListOptions`]: 'ListNamespacedConfigMap',
    [`${META}.PatchOptions`]: 'PatchNamespacedConfigMap',
    [`${META}.UpdateOptions`]: 'ReplaceNamespacedConfigMap',
  },
  'core/v1': {
    [`${CORE}.NodeProxyOptions`]: 'ConnectGetNodeProxy',
    [`${CORE}.PodAttachOptions`]: 'ConnectGetNamespacedPodAttach',
    [`${CORE}.PodExecOptions`]: 'ConnectGetNamespacedPodExec',
    [`${CORE}.PodLogOptions`]: 'ReadNamespacedPodLog',
    [`${CORE}.PodPortForwardOptions`]: 'ConnectGetNamespacedPodPortforward',
    [`${CORE}.PodProxyOptions`]: 'ConnectGetNamespacedPodProxy',
    [`${CORE}.ServiceProxyOptions`]: 'ConnectGetNamespacedServiceProxy',
  },
};

/**
 * Descriptions of parameters in the client's requests, by the definition of the options and the name of the parameter.
 * Parameters of paths, and `pretty`, are included. `declarations`: the text of the client's ObjectParamAPI.d.ts.
 * `path`: as of modules, `core/v1`.
 */
export function readParameterDescriptions(declarations: string, path: string): Descriptions {
  return Object.fromEntries(
    Object.entries(requests[path] ?? {}).map(([definition, request]) => [
      definition,
      readRequest(declarations, request),
    ]),
  );
}

function readRequest(declarations: string, request: string): Record<string, string> {
  const start = declarations.indexOf(`export interface CoreV1Api${request}Request {`);
  if (start === -1) throw new TypeError(`the client has no request ${request}`);
  const text = declarations.slice(start, declarations.indexOf('\n}', start));
  const out: Record<string, string> = {};
  for (const [, comment = '', name = ''] of text.matchAll(
    / {4}\/\*\*\n((?: {5}\*(?!\/).*\n)+) {5}\*\/\n {4}(\w+)\??:/g,
  )) {
    const [description = ''] = commentText(comment).split('\nDefaults to: ', 1);
    if (description !== '' && !description.startsWith('@type')) {
      out[name.replace(/^_/, '')] = withoutEntities(description);
    }
  }
  return out;
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', lt: '<', gt: '>', amp: '&' };

function withoutEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (entity, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? entity;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
