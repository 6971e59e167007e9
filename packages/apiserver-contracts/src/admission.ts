import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { WarningRecorder } from './request-context.js';
import type { RequestScope } from './request-scope.js';
import type { TraceSpan } from './tracing.js';
import type { UserInfo } from './user-info.js';

/** The operation of a request. Upstream: k8s.io/apiserver/pkg/admission.Operation */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The audit levels of annotations; an annotation is logged at its level and above. */
export type AnnotationLevel = 'Metadata' | 'Request';

/**
 * State of mutating admission of one request. If a plugin requests it, all mutating plugins run a second time.
 * Upstream: k8s.io/apiserver/pkg/admission.ReinvocationContext
 */
export interface Reinvocation {
  /** True in the second round. */
  isReinvoke: boolean;
  /** True if a second round is needed. */
  isRequested: boolean;
  /** State of plugins, by name. */
  readonly values: Map<string, unknown>;
}

/**
 * One write as admission sees it. `object` is the new object (undefined for DELETE), `oldObject` the stored one.
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
  /** Mutable for mutating plugins, frozen for validating plugins. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo | undefined;
  readonly warnings: WarningRecorder;
  /** Default: the request is not traced. */
  readonly span?: TraceSpan | undefined;
  /** Headers of the client's trace, for a request that is not traced. Default: none. */
  readonly passedTrace?: Readonly<Record<string, string>> | undefined;
  /** Adds the milliseconds of a call of a webhook. Default: nobody asks. */
  webhookTook?(phase: 'mutating' | 'validating', milliseconds: number): void;
  readonly scope: RequestScope;
  readonly signal: AbortSignal;
  /** The end of the request's time, by `performance.now()`; undefined if it has none. */
  readonly deadline: number | undefined;
  /** Created by the first plugin that needs it. */
  reinvocation: Reinvocation | undefined;
  /**
   * Adds an annotation to the request's audit event. Default level: Metadata. Returns the reason if it is not added:
   * the key is invalid, or has another value.
   */
  addAnnotation(key: string, value: string, level?: AnnotationLevel): string | undefined;
}

/** The properties of an endpoint by which plugins select requests. */
export type AdmissionEndpoint = Pick<RequestScope, 'resource' | 'subresource' | 'namespaced'>;

/** An admission plugin. The chain calls it only for operations that it handles. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Called once per endpoint: the result must not change. */
  handles(operation: AdmissionOperation, endpoint: AdmissionEndpoint): boolean;
  /**
   * False while the plugin has nothing to do, for lack of a configuration. The chain then skips it. Called for every
   * request; must be cheap. Default: always active.
   */
  isActive?(): boolean;
  /** Mutating phase: may change `attributes.object`; throws a StatusError to refuse. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Validating phase: must not change the object; throws a StatusError to refuse. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}

/** The whole chain, as handlers use it. */
export interface AdmissionChain {
  /** False if no active plugin handles the operation: handlers then skip admission entirely. */
  handles(operation: AdmissionOperation, scope: RequestScope): boolean;
  /**
   * Runs the mutating plugins in order. Throws or rejects with the first refusal. Returns undefined if no plugin was
   * asynchronous.
   */
  admit(attributes: AdmissionAttributes): Promise<void> | void;
  /** Runs the validating plugins in the same way. */
  validate(attributes: AdmissionAttributes): Promise<void> | void;
}
