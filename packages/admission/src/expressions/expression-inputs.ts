import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/** A request in the version that a policy or a webhook selects. The objects must not change during an evaluation. */
export interface MatchedRequest {
  readonly attributes: AdmissionAttributes;
  readonly version: { readonly kind: GroupVersionKind; readonly resource: GroupVersionResource };
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** The values that expressions read. */
export interface ExpressionInputs {
  readonly request: MatchedRequest;
  /** The resource in the version that was selected, or that of the request. */
  readonly resource: GroupVersionResource;
  /** The namespace of the request; undefined for null. */
  readonly namespace?: object | undefined;
  /** The parameters of the policy; undefined for null. */
  readonly params?: KubeObject | undefined;
  /** True if `authorizer` has a value. */
  readonly hasAuthorizer: boolean;
}
