import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '@apiserver/api/core/v1';
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { messageOf } from '@apiserver/apimachinery/errors';
import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import type { AdmissionAttributes, AdmissionOperation } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { evaluatePod } from '../../pod-security/evaluate-pod.js';
import { formatLevelVersion, LATEST, type LevelVersion } from '../../pod-security/level-version.js';
import { isFullyPrivileged, type NamespacePolicy, resolvePolicy } from '../../pod-security/namespace-policy.js';
import { formatReasons, formatViolations } from '../../pod-security/violation.js';
import { testAttributes, testPluginDependencies } from '../../testing/index.js';
import { podSecurityConfiguration } from './configuration.js';
import { podSecurity } from './pod-security.js';

/** Recorded from the Go module k8s.io/pod-security-admission v0.36.6. */
const RECORDED = join(import.meta.dirname, '../../../../../../shared/oracles/pod-security.json');

/** Upstream's library decides these too; its plugin handles neither deletes nor other resources. */
const NOT_HANDLED: ReadonlySet<string> = new Set(['pod-delete', 'namespace-delete', 'workload/unknown-type']);

interface Run {
  readonly from: string;
  readonly to: string;
  readonly allowed: boolean;
  readonly forbiddenReason?: string;
  readonly forbiddenDetail?: string;
}

interface AdmissionCase {
  readonly name: string;
  readonly configuration: unknown;
  readonly namespaces: readonly KubeObject[] | null;
  readonly existingPods?: readonly KubeObject[];
  readonly request: {
    readonly operation: AdmissionOperation;
    readonly kind: GroupVersionKind;
    readonly resource: GroupVersionResource;
    readonly subResource?: string;
    readonly name: string;
    readonly namespace: string;
    readonly username: string;
    readonly object: KubeObject;
    readonly oldObject?: KubeObject;
  };
  readonly expect: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: unknown;
    readonly warnings?: readonly string[];
    readonly auditAnnotations?: Readonly<Record<string, string>>;
  };
}

interface Recording {
  readonly evaluations: readonly {
    readonly name: string;
    readonly pod: Pod;
    readonly expect: Readonly<Record<'baseline' | 'restricted', readonly Run[]>>;
  }[];
  readonly admissions: readonly AdmissionCase[];
  readonly configurations: readonly {
    readonly name: string;
    readonly configuration: unknown;
    readonly expect: { readonly defaults?: unknown; readonly error?: string; readonly loadError?: string };
  }[];
  readonly labels: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly expect: Readonly<Record<string, unknown>>;
  }[];
}

const recording: Recording = existsSync(RECORDED)
  ? JSON.parse(readFileSync(RECORDED, 'utf8'))
  : { evaluations: [], admissions: [], configurations: [], labels: [] };

const PRIVILEGED: LevelVersion = { level: 'privileged', version: LATEST };
const DEFAULTS: NamespacePolicy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };

describe.skipIf(!existsSync(RECORDED))('pod security as recorded', () => {
  it.each(recording.evaluations)('evaluates the pod $name', ({ pod, expect: expected }) => {
    for (const level of ['baseline', 'restricted'] as const) {
      const runs = expected[level];
      const latest = runs.at(-1);
      const cases = runs.flatMap((run) => versionsOf(run).map((version) => ({ version, run })));
      for (const { version, run } of [...cases, ...(latest ? [{ version: LATEST, run: latest }] : [])]) {
        expect({ version, ...evaluated({ level, version }, pod) }).toEqual({ version, ...outcomeOf(run) });
      }
    }
  });

  it.each(recording.labels)('reads the labels $name', ({ labels, expect: expected }) => {
    const { policy, errors } = resolvePolicy(labels, DEFAULTS);
    expect({
      enforce: formatLevelVersion(policy.enforce),
      audit: formatLevelVersion(policy.audit),
      warn: formatLevelVersion(policy.warn),
      fullyPrivileged: isFullyPrivileged(policy),
      ...(errors.length > 0 && { errors: errors.map(fieldErrorMessage) }),
    }).toEqual(expected);
  });

  it.each(recording.configurations)('loads the configuration $name', ({ configuration, expect: expected }) => {
    expect(loaded(configuration)).toEqual(comparable(expected));
  });

  it.each(recording.admissions.filter(({ name }) => !NOT_HANDLED.has(name)))(
    'admits or refuses $name',
    async ({ expect: { uid: _, ...expected }, ...given }) => {
      expect(await decided(given)).toEqual(expected);
    },
  );
});

function versionsOf({ from, to }: Run): readonly string[] {
  const [first, last] = [from, to].map((version) => Number(version.slice('v1.'.length))) as [number, number];
  return Array.from({ length: last - first + 1 }, (_, i) => `v1.${first + i}`);
}

function outcomeOf({ from: _, to: __, ...outcome }: Run) {
  return outcome;
}

function evaluated(policy: LevelVersion, pod: Pod): Omit<Run, 'from' | 'to'> {
  const violations = evaluatePod(policy, pod);
  if (violations.length === 0) return { allowed: true };
  return {
    allowed: false,
    forbiddenReason: formatReasons(violations),
    forbiddenDetail: formatViolations(violations),
  };
}

function loaded(configuration: unknown): unknown {
  try {
    const { enforce, audit, warn } = podSecurityConfiguration(configuration).defaults;
    return {
      defaults: {
        enforce: enforce.level,
        'enforce-version': enforce.version,
        audit: audit.level,
        'audit-version': audit.version,
        warn: warn.level,
        'warn-version': warn.version,
      },
    };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/**
 * The words of the recording's own program, the name of the scheme in it, and spaces of its input are not upstream's.
 */
function comparable({ defaults, error, loadError }: Recording['configurations'][number]['expect']): unknown {
  if (loadError !== undefined) {
    const scheme = 'k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31';
    return {
      error: loadError.replace('pkg/runtime/scheme.go:111', scheme).replace('{"defaults": {}}', '{"defaults":{}}'),
    };
  }
  if (error === undefined) return { defaults };
  return {
    error: error.replace('complete:', 'PodSecurity configuration error:').replace('validate:', 'PodSecurity invalid:'),
  };
}

/** The response that upstream's plugin would give, from what the plugin did. */
async function decided({ configuration, namespaces, existingPods, request }: Omit<AdmissionCase, 'expect'>) {
  const objects = { namespaces: [...(namespaces ?? [])], pods: [...(existingPods ?? [])] };
  const plugin = podSecurity(testPluginDependencies(objects, { configuration }));
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  const attributes: AdmissionAttributes = testAttributes({
    operation: request.operation,
    kind: request.kind,
    resource: request.resource,
    namespace: request.namespace,
    name: request.name,
    object: request.object,
    oldObject: request.oldObject,
    subresource: request.subResource ?? '',
    user: { name: request.username, uid: '', groups: [], extra: {} },
    warnings: { warn: (text) => warnings.push(text) },
    addAnnotation: (key, value) => {
      annotations[key.replace('pod-security.kubernetes.io/', '')] = value;
    },
  });
  const refusal = plugin.handles(request.operation, attributes.scope)
    ? await Promise.resolve()
        .then(() => plugin.validate?.(attributes))
        .catch((error: unknown) => error)
    : undefined;
  return {
    allowed: refusal === undefined,
    ...(refusal !== undefined && { status: statusOf(refusal) }),
    ...(warnings.length > 0 && { warnings }),
    ...(Object.keys(annotations).length > 0 && { auditAnnotations: annotations }),
  };
}

function statusOf(refusal: unknown): unknown {
  const { status: { kind: _, apiVersion: __, ...status } = {} } = Object(refusal);
  return status;
}
