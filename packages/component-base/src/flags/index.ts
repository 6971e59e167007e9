export { csvRecords } from './csv-record.js';
export { formatFlagSections } from './flag-help.js';
export { type Flag, FlagSet, NamedFlagSets } from './flag-set.js';
export {
  boolValue,
  type FlagTarget,
  type FlagValue,
  field,
  int32SliceValue,
  stringArrayValue,
  stringMapValue,
  stringSliceValue,
} from './flag-value.js';
export { formatGoDuration, parseGoDuration } from './go-duration.js';
