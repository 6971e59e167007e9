export {
  API_LEVEL,
  type BuildInfo,
  binaryVersion,
  type EffectiveVersion,
  emulatingVersion,
  type VersionInfo,
  versionInfo,
} from './version-info.js';
