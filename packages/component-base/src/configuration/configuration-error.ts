/** A configuration file that cannot be decoded. The message is upstream's. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * A configuration file without a kind or version, or with an unknown kind.
 * Upstream: runtime.IsNotRegisteredError and others
 */
export class UnknownConfigurationKindError extends ConfigurationError {}
