// The versions that the server tells. A test compares moonVersion with package.json.

export const moonVersion = '0.1.0';

/** The Redis that clients meet: commands, replies and INFO are those of this version. */
export const redisVersion = '7.2.4';
