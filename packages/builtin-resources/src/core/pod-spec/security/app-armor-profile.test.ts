import { expect, it } from 'vitest';
import { appArmorProfileOfAnnotation } from './app-armor-profile.js';

it.each([
  ['unconfined', { type: 'Unconfined' }],
  ['runtime/default', { type: 'RuntimeDefault' }],
  ['localhost/a', { type: 'Localhost', localhostProfile: 'a' }],
  ['localhost/', undefined],
  ['odd', undefined],
  ['', undefined],
])('the field of the annotation "%s"', (annotation, profile) => {
  expect(appArmorProfileOfAnnotation(annotation)).toEqual(profile);
});
