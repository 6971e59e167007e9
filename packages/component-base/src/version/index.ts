export { type BuildInfo, type VersionInfo, versionInfo } from './version-info.js';
