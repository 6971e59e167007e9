import { formatGroupVersion } from '@apiserver/apimachinery';
import type { InterpretedConfiguration } from '@apiserver/component-base/configuration';

const GROUP_VERSION = 'apiserver.config.k8s.io/v1';
/** Other kinds of that version. Upstream: k8s.io/apiserver/pkg/apis/apiserver/v1/register.go */
const OTHER_KINDS = [
  ...['AdmissionConfiguration', 'AuthenticationConfiguration', 'AuthorizationConfiguration', 'TracingConfiguration'],
];

/** The error of a file that configures another component; undefined for any other file. */
export function otherKindFault({ gvk }: InterpretedConfiguration): string | undefined {
  const apiVersion = formatGroupVersion(gvk);
  if (apiVersion !== GROUP_VERSION || !OTHER_KINDS.includes(gvk.kind)) return undefined;
  return `got unexpected config type: ${apiVersion}, Kind=${gvk.kind}`;
}

/** The file as JSON with names but without values: they include keys, and errors are logged. */
export function outlineOf({ document }: InterpretedConfiguration): string {
  if (document === null || document === undefined) return 'null';
  return JSON.stringify(document, (name, value: unknown) => {
    if ((typeof value === 'object' && value !== null) || name === 'kind' || name === 'apiVersion') return value;
    return 'REDACTED';
  });
}
