export { ConfigurationError, UnknownConfigurationKindError } from './configuration-error.js';
export { type ConfigurationKind, type ConfigurationScheme, configurationKinds } from './configuration-scheme.js';
export {
  type DecodedConfiguration,
  decodeConfiguration,
  decodeConfigurationLeniently,
  decodeConfigurationValue,
  decodeInterpreted,
  type LenientConfiguration,
  strictly,
} from './decode-configuration.js';
export { type InterpretedConfiguration, interpretConfiguration } from './interpret-configuration.js';
