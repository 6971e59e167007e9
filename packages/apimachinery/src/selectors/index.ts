export {
  everythingFieldSelector,
  type FieldRequirement,
  type FieldSelector,
  type Fields,
  fieldSelectorOf,
  parseFieldSelector,
} from './field-selector.js';
export { type LabelOperator, LabelRequirement, newLabelRequirement } from './label-requirement.js';
export { everythingSelector, type LabelSelector } from './label-selector.js';
export { labelSelectorAsSelector, labelSelectorFromSet } from './label-selector-as-selector.js';
export { parseLabelSelector } from './parse-label-selector.js';
