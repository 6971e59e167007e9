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
    [`nginx:latest@md5:${'a'.repeat(32)}`, undefined],
    [`nginx:latest@${DIGEST.toUpperCase()}`, undefined],
    [`${'a'.repeat(247)}:latest`, 'latest'],
    [`${'a'.repeat(248)}:latest`, undefined],
    [`index.docker.io/${'a'.repeat(248)}:latest`, undefined],
    [`example.com/${'a'.repeat(255)}:latest`, 'latest'],
    ['Nginx', undefined],
    ['', undefined],
    ['nginx:', undefined],
  ])('of %j is %j', (image, tag) => expect(imageTag(image)).toBe(tag));
});
