import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { WarningRecorder } from './request-context.js';
import type { RequestScope } from './request-scope.js';
import type { UserInfo } from './user-info.js';

/** What is about to happen. Upstream: k8s.io/apiserver/pkg/admission.Operation */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/**
 * One write as admission sees it. `object` is what would be stored (undefined for DELETE), `oldObject` what is stored.
 * Upstream: k8s.io/apiserver/pkg/admission.Attributes
 */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty on create with generateName. */
  readonly name: string;
  /** Mutating plugins may change it in place; validating plugins get it frozen. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo | undefined;
  readonly warnings: WarningRecorder;
  readonly scope: RequestScope;
  readonly signal: AbortSignal;
  addAnnotation(key: string, value: string): void;
}

/** What requests of one kind are about, as plugins choose by it. */
export type AdmissionEndpoint = Pick<RequestScope, 'resource' | 'subresource' | 'namespaced'>;

/** A plugin says what it looks at; the chain calls nothing else. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Asked once for each endpoint: the answer must not change. */
  handles(operation: AdmissionOperation, endpoint: AdmissionEndpoint): boolean;
  /** Mutating phase: may change `attributes.object`; throws a StatusError to refuse. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Validating phase: looks only; throws a StatusError to refuse. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}

/** What handlers hold: the whole chain behind two calls. */
export interface AdmissionChain {
  /** False when no plugin looks at it: nothing of admission needs to be prepared then. */
  handles(operation: AdmissionOperation, scope: RequestScope): boolean;
  /** Runs the mutating plugins in order. Throws, or rejects, with the first refusal; answers nothing if none had to wait. */
  admit(attributes: AdmissionAttributes): Promise<void> | void;
  /** Runs the validating plugins, in the same way. */
  validate(attributes: AdmissionAttributes): Promise<void> | void;
}
