import { it } from 'vitest';
import { crashRounds } from '../testing/crash-rounds.js';

it('keeps every acknowledged write and gives no revision twice when it is killed', () => crashRounds(4));
