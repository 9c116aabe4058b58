// Before `npm pack` and `npm publish`: the tarball carries what the sources say now.
import { setup } from './setup.mjs';

setup('run');
const { buildNative } = await import('./build-native.mjs');
const { buildTs } = await import('./build-ts.mjs');
const { copyPrebuild } = await import('./prebuild.mjs');
buildNative();
buildTs();
copyPrebuild();
