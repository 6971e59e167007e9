import {
  MutatingAdmissionPolicyBindingList,
  MutatingAdmissionPolicyList,
  MutatingWebhookConfigurationList,
  ValidatingAdmissionPolicyBindingList,
  ValidatingAdmissionPolicyList,
  ValidatingWebhookConfigurationList,
} from '@apiserver/api/admissionregistration/v1';
import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ResourceDefinition, VerbContext } from '@apiserver/apiserver-contracts';
import { mutatingAdmissionPolicyDeclaration } from './mutating-admission-policy/index.js';
import { mutatingAdmissionPolicyBindingDeclaration } from './mutating-admission-policy-binding/index.js';
import { mutatingWebhookConfigurationDeclaration } from './mutating-webhook-configuration/index.js';
import { validatingAdmissionPolicyDeclaration } from './validating-admission-policy/index.js';
import { validatingAdmissionPolicyBindingDeclaration } from './validating-admission-policy-binding/index.js';
import { validatingWebhookConfigurationDeclaration } from './validating-webhook-configuration/index.js';

/** A list of objects of one kind. */
interface KindList {
  readonly items?: readonly KubeObject[];
}

/** A kind of admission configuration with the rules for its objects in files. */
interface AdmissionManifestKind {
  readonly gvk: GroupVersionKind;
  readonly schema: KindSchema;
  readonly listSchema: KindSchema<KindList>;
  applyDefaults(object: KubeObject): void;
  /** The errors of a new object. Prepares the object as a create request does. */
  check(object: KubeObject): Promise<readonly FieldError[]>;
}

/** The kinds that configure admission, in their version v1. */
export function admissionManifestKinds(): readonly AdmissionManifestKind[] {
  return [
    manifestKind(mutatingAdmissionPolicyDeclaration, MutatingAdmissionPolicyList),
    manifestKind(mutatingAdmissionPolicyBindingDeclaration, MutatingAdmissionPolicyBindingList),
    manifestKind(mutatingWebhookConfigurationDeclaration, MutatingWebhookConfigurationList),
    manifestKind(validatingAdmissionPolicyDeclaration, ValidatingAdmissionPolicyList),
    manifestKind(validatingAdmissionPolicyBindingDeclaration, ValidatingAdmissionPolicyBindingList),
    manifestKind(validatingWebhookConfigurationDeclaration, ValidatingWebhookConfigurationList),
  ];
}

function manifestKind(
  { kind, versions, strategy }: ResourceDefinition,
  listSchema: KindSchema<KindList>,
): AdmissionManifestKind {
  const version = versions.find((one) => one.version === 'v1');
  if (version === undefined) throw new TypeError(`${kind} has no version v1`);
  const { schema } = version;
  return {
    gvk: schema.gvk,
    schema,
    listSchema,
    applyDefaults: (object) => version.applyDefaults?.(object),
    check: async (object) => {
      const context = fileContext();
      await strategy.prepareForCreate?.(context, object);
      return strategy.validate(context, object);
    },
  };
}

/** Files have neither a request nor a user. */
function fileContext(): VerbContext {
  const warnings = { warn: () => {} };
  return {
    namespace: '',
    user: undefined,
    requestInfo: undefined,
    warnings,
    signal: new AbortController().signal,
  };
}
