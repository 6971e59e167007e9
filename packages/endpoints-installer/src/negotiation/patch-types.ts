/** The content types of patches. */
export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | ApplyType;

/** Server-side apply: a configuration, which is merged by field ownership. */
export const APPLY_PATCH = 'application/apply-patch+yaml';
/** Server-side apply in CBOR. */
export const APPLY_CBOR_PATCH = 'application/apply-patch+cbor';
/** The content types of configurations. */
export type ApplyType = typeof APPLY_PATCH | typeof APPLY_CBOR_PATCH;

/** Reports whether a patch is an apply configuration. */
export function isApplyType(type: PatchType): type is ApplyType {
  return type === APPLY_PATCH || type === APPLY_CBOR_PATCH;
}

/** Adds apply in CBOR, if there is a codec for it. */
export function withApplyCbor(types: readonly PatchType[], cbor: object | undefined): readonly PatchType[] {
  return cbor === undefined ? types : [...types, APPLY_CBOR_PATCH];
}
