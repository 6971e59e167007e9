export { API_LEVEL, type BuildInfo, type VersionInfo, versionInfo } from './version-info.js';
