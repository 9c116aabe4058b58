import { defineConfig } from 'tsdown';

// Everything is CommonJS in dist/: a program that imports and requires the package gets one set of
// classes and one native binding. scripts/build-ts.mjs adds the ESM entry, which re-exports it.
export default defineConfig({
  entry: { index: 'src/index.ts', cli: 'src/cli/main.ts' },
  outDir: 'dist',
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  fixedExtension: true,
  dts: { sourcemap: false },
  sourcemap: false,
  clean: true,
  shims: true,
  treeshake: true,
});
