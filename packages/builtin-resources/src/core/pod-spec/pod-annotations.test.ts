import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { sentPod } from '../../testing/sent-pod.js';
import { validatePod } from '../pod/validation.js';
import { DEFAULT_POD_FEATURES } from './pod-features.js';

const KEY = 'scheduler.alpha.kubernetes.io/tolerations';

it.each([
  ['', []],
  ['[{"key": "a", "operator": "Exists"}]', []],
  [
    '[{"operator": "Equal", "tolerationSeconds": 5}]',
    [
      `metadata.annotations.${KEY}[0].operator: Invalid value: "Equal": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
      `metadata.annotations.${KEY}[0].effect: Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
    ],
  ],
  ['x', [`metadata.annotations: Invalid value: "${KEY}": invalid character 'x' looking for beginning of value`]],
])('a pod has tolerations in an annotation: %s', (text, faults) => {
  const errors = validatePod(sentPod({}, {}, { [KEY]: text }), DEFAULT_POD_FEATURES);
  expect(errors.map((error) => aggregateFieldErrors([error]))).toEqual(faults);
});
