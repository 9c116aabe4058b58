{
  # moon_engine: every room but addon/. moon_server: the .node file, the addon linked with it.
  # Unit tests, sanitizers and fuzzers are built by src-native/Makefile.
  # Not in the published package: npm would compile at install.
  'target_defaults': {
    'include_dirs': ['src-native'],
    'defines': ['NAPI_VERSION=9', 'NDEBUG'],
    'cflags': [
      '-g1',
      '-Wall',
      '-Wextra',
      '-fvisibility=hidden',
      '-ffunction-sections',
      '-fdata-sections',
      '-fno-plt',
    ],
    'cflags!': ['-O3', '-fno-omit-frame-pointer', '-Wno-unused-parameter'],
    'cflags_cc': ['-std=c++20', '-O2', '-fno-exceptions', '-fno-rtti', '-fvisibility-inlines-hidden'],
    'cflags_cc!': ['-std=gnu++17', '-std=gnu++20'],
    'configurations': {
      'Release': {
        'cflags!': ['-O3', '-fno-omit-frame-pointer'],
      },
    },
  },
  'targets': [
    {
      'target_name': 'moon_engine',
      'type': 'static_library',
      'sources': ['<!@(node scripts/list-sources.mjs engine)'],
    },
    {
      'target_name': 'moon_server',
      'dependencies': ['moon_engine'],
      'sources': ['<!@(node scripts/list-sources.mjs addon)'],
      'libraries': ['-l:liburing.a'],
      'ldflags': [
        # glibc floor 2.34: -static-libgcc would raise it (see test/tidy/binary.test.ts).
        '-static-libstdc++',
        '-Wl,--version-script=<(module_root_dir)/src-native/exports.map',
        '-Wl,--exclude-libs,ALL',
        '-Wl,--gc-sections',
        # Shard threads outlive the environment that loaded the file: it is never unmapped.
        '-Wl,-z,nodelete',
        '-Wl,-z,now',
        '-Wl,-z,relro',
        '-Wl,--as-needed',
      ],
    },
  ],
}
