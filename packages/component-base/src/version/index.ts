export {
  API_LEVEL,
  type BuildInfo,
  type EffectiveVersion,
  emulatingVersion,
  type VersionInfo,
  versionInfo,
} from './version-info.js';
