import { it } from 'vitest';
import { crashRounds } from '../testing/crash-rounds.js';

it('keeps every acknowledged write and gives no revision twice, however often it is killed', () => crashRounds(300));
