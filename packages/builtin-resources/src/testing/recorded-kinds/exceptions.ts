import type { KubeObject } from '@apiserver/apimachinery';
import { isDNS1123Label } from '@apiserver/apimachinery/validation';
import type { ColumnsCase, RecordedColumn, ValidationCase } from './recorded-cases.js';

/** Recorded versions that are not served, and reviews, which are not stored: `apiVersion/kind`. */
export const UNSERVED_KINDS: ReadonlySet<string> = new Set([
  'authentication.k8s.io/v1/SelfSubjectReview',
  'authentication.k8s.io/v1/TokenReview',
  'authorization.k8s.io/v1/LocalSubjectAccessReview',
  'authorization.k8s.io/v1/SelfSubjectAccessReview',
  'authorization.k8s.io/v1/SelfSubjectRulesReview',
  'authorization.k8s.io/v1/SubjectAccessReview',
  'node.k8s.io/v1alpha1/RuntimeClass',
  'policy/v1/Eviction',
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map(
    (kind) => `rbac.authorization.k8s.io/v1alpha1/${kind}`,
  ),
]);

/** The line of 1.36 for a recorded line (`type field: message`, or a warning). Undefined if 1.36 has none. */
type Correction = (line: string, recorded: ValidationCase) => string | undefined;

/** Known differences of 1.36 from 1.34.1, with which the cases were recorded; each with its source. */
const CORRECTIONS: readonly Correction[] = [
  // EnvFiles is on by default: beta in 1.35. Upstream: validateEnvVarValueFrom
  (line) => line.replace('`configMapKeyRef` or `secretKeyRef`', '`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'),
  // ContainerRestartRules is on by default: beta in 1.35. Upstream: validateContainerRestartPolicy
  (line, { object }) => {
    const [, path] = /^FieldValueForbidden (\S+): Forbidden: may not be set for non-init containers$/.exec(line) ?? [];
    if (path === undefined) return line;
    const value = String(valueAt(object, path));
    const policies = ['Always', 'Never', 'OnFailure'];
    if (policies.includes(value)) return undefined;
    const supported = policies.map((policy) => JSON.stringify(policy)).join(', ');
    return `FieldValueNotSupported ${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
  },
  // Only the name is judged, by LongName. Upstream: ValidateReplicationController of k/k 8a84988b, of 1.35's end
  (line, { object }) => {
    if (object.kind !== 'ReplicationController' || !line.startsWith('FieldValueInvalid metadata.')) return line;
    if (line.startsWith('FieldValueInvalid metadata.generateName: ')) return undefined;
    return line.replace('must be no more than 253 characters', 'must be no more than 253 bytes');
  },
  // RelaxedServiceNameValidation is on by default: beta in 1.36. Upstream: ValidateServiceName
  (line, { object }) => {
    const head = /^FieldValueInvalid (metadata\.(?:name|generateName)): Invalid value: "[^"]*": (?=a DNS-1035 label)/;
    const [start, path] = object.kind === 'Service' ? (head.exec(line) ?? []) : [];
    if (start === undefined || path === undefined) return line;
    const name = String(valueAt(object, path));
    const [fault] = isDNS1123Label(path.endsWith('generateName') ? name.replace(/-$/, 'a') : name);
    return fault === undefined ? undefined : `${start}${fault}`;
  },
  // Label values are counted in bytes. Upstream: IsValidLabelValue of k8s.io/apimachinery v0.36
  (line, { in136 }) =>
    in136?.startsWith('wording') && line.includes(' spec.selector: ')
      ? line.replace('must be no more than 63 characters', 'must be no more than 63 bytes')
      : line,
  // Operators of TaintTolerationComparisonOperators (alpha in 1.35) are known, though refused. Upstream:
  // ValidateTolerations
  (line) =>
    line.replace(
      /(\.operator: Unsupported value: "(?:Lt|Gt)": supported values: "Equal", "Exists")$/,
      '$1, "Lt", "Gt"',
    ),
  // Declared as required in k8s.io/api v0.36 (autoscaling/v2 types.go), with which handwritten validation must agree.
  (line) =>
    line.replace(
      /^FieldValueInvalid (spec\.maxReplicas): Invalid value: 0: must be greater than 0$/,
      'FieldValueRequired $1: Required value: must be set and greater than 0',
    ),
  // The path of a faulty claim name. Upstream: kubernetes/kubernetes#137321
  (line) =>
    line.replace(
      /( status\.resourceClaimStatuses\[\d+\])\.name(?=: Invalid value: ".*": a lowercase)/,
      '$1.resourceClaimName',
    ),
  // A fault of 1.34.0 and 1.34.1. Upstream: kubernetes/kubernetes#134054
  (line, { object }) =>
    line === 'spec.SessionAffinity is ignored for headless services' && isWithoutAffinity(object) ? undefined : line,
];

function isWithoutAffinity(service: object): boolean {
  const affinity = valueAt(service, 'spec.sessionAffinity');
  return affinity === undefined || affinity === '' || affinity === 'None';
}

function valueAt(object: object, path: string): unknown {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    object,
  );
}

/**
 * Lines that 1.36 adds: ClearingNominatedNodeNameAfterBinding is on by default (beta in 1.35).
 * Upstream: ValidatePodStatusUpdate
 */
export function linesAddedIn136({ op, object }: ValidationCase): readonly string[] {
  if (object.kind !== 'Pod' || op !== 'status' || !valueAt(object, 'spec.nodeName')) return [];
  if (!valueAt(object, 'status.nominatedNodeName')) return [];
  return [
    'FieldValueForbidden status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node',
  ];
}

/** A recorded line in the form of 1.36; undefined if 1.36 has none. */
export function lineIn136(line: string, recorded: ValidationCase): string | undefined {
  return CORRECTIONS.reduce<string | undefined>(
    (corrected, correct) => (corrected === undefined ? undefined : correct(corrected, recorded)),
    line,
  );
}

/** An empty list of devices is omitted: `json:"devices,omitempty"` in k8s.io/api v0.36 (resource, every version). */
export function objectIn136(recorded: KubeObject): object {
  if (recorded.kind !== 'ResourceSlice') return recorded;
  const spec = Object.fromEntries(
    Object.entries(valueAt(recorded, 'spec') ?? {}).filter(([, value]) => value !== null && !isEmptyList(value)),
  );
  return { ...recorded, spec };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Columns that are gone: the secrets of a ServiceAccount. Upstream: kubernetes/kubernetes#117160, of 1.35 */
const REMOVED_COLUMNS: Readonly<Record<string, number>> = { ServiceAccount: 1 };

/** The rows of 1.36. A node's kernel version includes the architecture. Upstream: kubernetes/kubernetes#132402 */
export function rowIn136({ object, cells, relative = [] }: ColumnsCase): {
  readonly cells: readonly unknown[];
  readonly relative: readonly number[];
} {
  const removed = REMOVED_COLUMNS[object.kind];
  if (removed === undefined) return { cells: kernelIn136(object, cells), relative };
  return { cells: cells.toSpliced(removed, 1), relative: relative.map((i) => (i > removed ? i - 1 : i)) };
}

function kernelIn136(object: KubeObject, cells: readonly unknown[]): readonly unknown[] {
  const architecture = valueAt(object, 'status.nodeInfo.architecture');
  const KERNEL = 8;
  if (object.kind !== 'Node' || !architecture || cells[KERNEL] === '<unknown>') return cells;
  return cells.with(KERNEL, `${cells[KERNEL]} (${architecture})`);
}

/**
 * Column types that match the type of their cells; the recorded cases list these kinds as changed since.
 * Upstream: AddHandlers of pkg/printers/internalversion/printers.go
 */
const COLUMN_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  HorizontalPodAutoscaler: { MaxPods: 'integer', Replicas: 'integer' },
  CronJob: { Suspend: 'string' },
};

/** The columns of `apiVersion/kind`. */
export function columnsIn136(kind: string, columns: readonly RecordedColumn[]): readonly RecordedColumn[] {
  const name = kind.slice(kind.lastIndexOf('/') + 1);
  const types = COLUMN_TYPES[name] ?? {};
  return columns
    .filter((_, i) => i !== REMOVED_COLUMNS[name])
    .map((column) => ({ ...column, type: types[column.name] ?? column.type }));
}
