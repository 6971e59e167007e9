import { describe, expect, it } from 'vitest';
import { imageTag } from './image-reference.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('imageTag', () => {
  it.each([
    ['nginx', 'latest'],
    ['nginx:1.2', '1.2'],
    ['localhost:5000/nginx', 'latest'],
    ['example.com/team/nginx:v1', 'v1'],
    [`nginx@${DIGEST}`, undefined],
    [`nginx:latest@${DIGEST}`, 'latest'],
    ['Nginx', undefined],
    ['', undefined],
    ['nginx:', undefined],
  ])('of %j is %j', (image, tag) => expect(imageTag(image)).toBe(tag));
});
