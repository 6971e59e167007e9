/** A manifest, or a folder of manifests, that cannot be used. The message is upstream's. */
export class ManifestError extends Error {}
