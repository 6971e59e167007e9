import { expect, it } from 'vitest';
import { type FieldError, fieldErrorMessage } from '../field/field-error.js';
import {
  validateCreateOptions,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateTableOptions,
  validateUpdateOptions,
} from './options.js';

const on = { watchList: true };
const NEEDS_MATCH =
  'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';

const cases: readonly (readonly [string, FieldError[], readonly string[]])[] = [
  ['create', validateCreateOptions({ fieldManager: 'kubectl', dryRun: ['All', 'All'], fieldValidation: 'Strict' }), []],
  [
    'bad create',
    validateCreateOptions({ fieldManager: 'm'.repeat(129), dryRun: ['All', 'Some'], fieldValidation: 'Loose' }),
    [
      'fieldManager: Too long: may not be more than 128 bytes',
      'dryRun: Unsupported value: ["All","Some"]: supported values: "All"',
      'fieldValidation: Unsupported value: "Loose": supported values: "", "Ignore", "Strict", "Warn"',
    ],
  ],
  [
    'update with an unprintable manager',
    validateUpdateOptions({ fieldManager: 'é\u0007b' }),
    ['fieldManager: Invalid value: "é\\ab": invalid character U+0007 (at position 2)'],
  ],
  [
    'patch with force',
    validatePatchOptions({ force: false }, { apply: false }),
    ['force: Forbidden: may not be specified for non-apply patch'],
  ],
  [
    'apply without manager',
    validatePatchOptions({ fieldManager: '' }, { apply: true }),
    ['fieldManager: Required value: is required for apply patch'],
  ],
  ['apply', validatePatchOptions({ fieldManager: 'm', force: true }, { apply: true }), []],
  ['delete', validateDeleteOptions({ propagationPolicy: 'Orphan' }), []],
  [
    'delete with a bad policy',
    validateDeleteOptions({ propagationPolicy: 'Nope', dryRun: [''] }),
    [
      'propagationPolicy: Unsupported value: "Nope": supported values: "Foreground", "Background", "Orphan", "nil"',
      'dryRun: Unsupported value: [""]: supported values: "All"',
    ],
  ],
  [
    'delete with both',
    validateDeleteOptions({ propagationPolicy: 'Background', orphanDependents: false }),
    ['propagationPolicy: Invalid value: "Background": orphanDependents and deletionPropagation cannot be both set'],
  ],
  [
    'delete of what cannot be read, with all that it cannot be with',
    validateDeleteOptions({
      ignoreStoreReadErrorWithClusterBreakingPotential: true,
      dryRun: ['All'],
      propagationPolicy: 'Orphan',
      gracePeriodSeconds: 0,
      preconditions: {},
    }),
    ['dryRun', 'propagationPolicy', 'gracePeriodSeconds', 'preconditions'].map(
      (name) =>
        `ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .${name}`,
    ),
  ],
  [
    'delete that does not ask to pass over anything',
    validateDeleteOptions({ ignoreStoreReadErrorWithClusterBreakingPotential: false, dryRun: ['All'] }),
    [],
  ],
  [
    'table',
    validateTableOptions({ includeObject: 'All' }),
    ["includeObject: Invalid value: \"All\": must be 'Metadata', 'Object', 'None', or empty"],
  ],
  ['list', validateListOptions({ resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' }, on), []],
  [
    'list exactly at 0',
    validateListOptions({ resourceVersion: '0', resourceVersionMatch: 'Exact' }, on),
    ['resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
  ],
  [
    'list with everything wrong',
    validateListOptions({ resourceVersionMatch: 'Roughly', continue: 'c', sendInitialEvents: false }, on),
    [
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
      'resourceVersionMatch: Unsupported value: "Roughly": supported values: "Exact", "NotOlderThan", ""',
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
  ],
  [
    'watch',
    validateListOptions({ watch: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }, on),
    [],
  ],
  ['watch with initial events', validateListOptions({ watch: true, sendInitialEvents: true }, on), [NEEDS_MATCH]],
  [
    'watch with initial events exactly',
    validateListOptions({ watch: true, sendInitialEvents: true, resourceVersionMatch: 'Exact' }, { watchList: false }),
    [
      NEEDS_MATCH,
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
    ],
  ],
  [
    'watch with a match alone',
    validateListOptions({ watch: true, resourceVersionMatch: 'NotOlderThan', continue: 'c' }, on),
    [
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ],
  ],
];

it.each(cases)('%s', (_, errors, messages) => {
  expect(errors.map(fieldErrorMessage)).toEqual(messages);
});
