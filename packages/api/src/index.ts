export { type DescribeField, fieldDescriptions } from './field-descriptions.js';
export { groupVersions } from './generated/index.js';
export type { GroupVersionEntry } from './group-version-entry.js';
export { type Describe, loadDescriptions } from './load-descriptions.js';
export { metaKind } from './meta-kind.js';
