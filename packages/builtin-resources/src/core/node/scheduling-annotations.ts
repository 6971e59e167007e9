import type { Taint } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { decodeGo, type GoStruct, type GoType } from '../../text/decode-go.js';
import { validateTaints } from './taint-validation.js';

const TAINTS_KEY = 'scheduler.alpha.kubernetes.io/taints';
const AVOID_PODS_KEY = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

const STRING: GoType = { name: 'string', scalar: 'string' };

const TAINT: GoStruct = {
  name: 'core.Taint',
  fields: {
    key: STRING,
    value: STRING,
    effect: { name: 'core.TaintEffect', scalar: 'string' },
    timeAdded: { name: 'v1.Time', scalar: 'time' },
  },
  isUntagged: true,
};

/** The fields that are judged. */
const AVOID_PODS_ENTRY: GoStruct = {
  name: 'v1.PreferAvoidPodsEntry',
  fields: {
    podSignature: {
      name: 'v1.PodSignature',
      fields: {
        podController: { name: 'v1.OwnerReference', fields: { controller: { name: 'bool', scalar: 'bool' } } },
      },
    },
    reason: STRING,
    message: STRING,
  },
};
const AVOID_PODS: GoStruct = {
  name: 'v1.AvoidPods',
  fields: { preferAvoidPods: { name: '[]v1.PreferAvoidPodsEntry', items: AVOID_PODS_ENTRY } },
};

interface AvoidPodsEntry {
  readonly podSignature?: { readonly podController?: { readonly controller?: boolean } };
}

/**
 * Validates annotations that once had what is in fields now. They have no effect.
 * Upstream: ValidateNodeSpecificAnnotations of pkg/apis/core/validation/validation.go
 */
export function validateNodeAnnotations(
  annotations: Readonly<Record<string, string>> = {},
  path: FieldPath,
): FieldError[] {
  const { [TAINTS_KEY]: taints, [AVOID_PODS_KEY]: avoided } = annotations;
  return [
    ...(taints ? validateAnnotatedTaints(taints, path) : []),
    ...(avoided ? validateAvoidPods(avoided, path) : []),
  ];
}

function validateAnnotatedTaints(text: string, path: FieldPath): FieldError[] {
  const decoded = decodeGo<Taint[]>(text, { name: '[]core.Taint', items: TAINT });
  if ('fault' in decoded) return [fieldInvalid(path, TAINTS_KEY, decoded.fault)];
  const taints = (decoded.value ?? []).map(({ key = '', value = '', effect = '', ...time }) => {
    return { key, value, effect, ...time };
  });
  return validateTaints(taints, path.child(TAINTS_KEY));
}

function validateAvoidPods(text: string, path: FieldPath): FieldError[] {
  const decoded = decodeGo<{ readonly preferAvoidPods?: readonly AvoidPodsEntry[] }>(text, AVOID_PODS);
  if ('fault' in decoded) return [fieldInvalid(path.child('AvoidPods'), AVOID_PODS_KEY, decoded.fault)];
  return (decoded.value?.preferAvoidPods ?? []).flatMap(({ podSignature }, i) => {
    const signature = path.child(AVOID_PODS_KEY).index(i).child('PodSignature');
    const owner = podSignature?.podController;
    if (owner === undefined) return [fieldRequired(signature, '')];
    // Upstream panics without the field.
    if (owner.controller) return [];
    return [fieldInvalid(signature.child('PodController', 'Controller'), false, 'must point to a controller')];
  });
}
