// Error replies of Redis: a small enum and one table of exact texts. Any thread; constant data.
//
// A text carries its code ("ERR", "WRONGTYPE") and no leading '-'. Texts with a hole are printf
// formats for Reply::error_format and stand below the table.
#pragma once

#include <cstdint>
#include <string_view>

namespace moon::resp {

// X(name, text)
#define MOON_RESP_ERRORS(X)                                                                       \
  /* Types, numbers, ranges. */                                                                   \
  X(kWrongType, "WRONGTYPE Operation against a key holding the wrong kind of value")              \
  X(kNotInteger, "ERR value is not an integer or out of range")                                   \
  X(kNotFloat, "ERR value is not a valid float")                                                  \
  X(kOutOfRange, "ERR value is out of range")                                                     \
  X(kOutOfRangePositive, "ERR value is out of range, must be positive")                           \
  X(kMinMaxNotFloat, "ERR min or max is not a float")                                             \
  X(kMinMaxNotLex, "ERR min or max not valid string range item")                                  \
  X(kIncrementNanOrInfinity, "ERR increment would produce NaN or Infinity")                       \
  X(kScoreNan, "ERR resulting score is not a number (NaN)")                                       \
  X(kIncrementOverflow, "ERR increment or decrement would overflow")                              \
  X(kDecrementOverflow, "ERR decrement would overflow")                                           \
  X(kNanOrInfinity, "ERR value is NaN or Infinity")                                               \
  X(kHashNotInteger, "ERR hash value is not an integer")                                          \
  X(kHashNotFloat, "ERR hash value is not a float")                                               \
  X(kTimeoutNegative, "ERR timeout is negative")                                                  \
  X(kTimeoutNotFloat, "ERR timeout is not a float or out of range")                               \
  X(kTimeoutNotInteger, "ERR timeout is not an integer or out of range")                          \
  X(kIndexOutOfRange, "ERR index out of range")                                                   \
  X(kOffsetOutOfRange, "ERR offset is out of range")                                              \
  X(kCountNegative, "ERR COUNT can't be negative")                                                \
  X(kCountNotPositive, "ERR count should be greater than 0")                                      \
  X(kNumkeysNotPositive, "ERR numkeys should be greater than 0")                                  \
  X(kSlowlogCount, "ERR count should be greater than or equal to -1")                             \
  X(kKeysNegative, "ERR Number of keys can't be negative")                                        \
  X(kKeysTooMany, "ERR Number of keys can't be greater than number of args")                      \
  X(kLimitNegative, "ERR LIMIT can't be negative")                                                \
  /* Syntax, keys, strings. */                                                                    \
  X(kSyntax, "ERR syntax error")                                                                  \
  X(kNoSuchKey, "ERR no such key")                                                                \
  X(kSameObject, "ERR source and destination objects are the same")                               \
  X(kStringTooLong, "ERR string exceeds maximum allowed size (proto-max-bulk-len)")               \
  X(kInvalidCursor, "ERR invalid cursor")                                                         \
  X(kGtLtConflict, "ERR GT and LT options at the same time are not compatible")                   \
  X(kNxXxGtLtConflict, "ERR NX and XX, GT or LT options at the same time are not compatible")     \
  X(kNxXxConflict, "ERR XX and NX options at the same time are not compatible")                   \
  X(kGtLtNxConflict, "ERR GT, LT, and/or NX options at the same time are not compatible")         \
  X(kMsetArity, "ERR wrong number of arguments for 'mset' command")                               \
  X(kMsetnxArity, "ERR wrong number of arguments for 'msetnx' command")                           \
  X(kLcsTypes, "ERR The specified keys must contain string values")                               \
  X(kLcsLenAndIdx, "ERR If you want both the length and indexes, please just use IDX.")           \
  X(kLcsTooLong, "ERR String too long for LCS")                                                   \
  X(kLcsMemoryLimit,                                                                              \
    "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")               \
  X(kLcsMemory, "ERR Insufficient memory, failed allocating transient memory for LCS")            \
  /* Bitmaps. */                                                                                  \
  X(kBitOffset, "ERR bit offset is not an integer or out of range")                               \
  X(kBitValue, "ERR bit is not an integer or out of range")                                       \
  X(kBitArgument, "ERR The bit argument must be 1 or 0.")                                         \
  X(kBitopNotSingle, "ERR BITOP NOT must be called with a single source key.")                    \
  X(kBitfieldType,                                                                                \
    "ERR Invalid bitfield type. Use something like i16 u8. "                                      \
    "Note that u64 is not supported but i64 is.")                                                 \
  X(kBitfieldOverflow, "ERR Invalid OVERFLOW type specified")                                     \
  X(kBitfieldReadOnly, "ERR BITFIELD_RO only supports the GET subcommand")                        \
  /* Databases and keys. */                                                                       \
  X(kDbIndexRange, "ERR DB index is out of range")                                                \
  X(kInvalidFirstDb, "ERR invalid first DB index")                                                \
  X(kInvalidSecondDb, "ERR invalid second DB index")                                              \
  X(kBusyKey, "BUSYKEY Target key name already exists.")                                          \
  X(kDumpPayload, "ERR DUMP payload version or checksum are wrong")                               \
  X(kBadDataFormat, "ERR Bad data format")                                                        \
  X(kInvalidTtl, "ERR Invalid TTL value, must be >= 0")                                           \
  X(kInvalidIdletime, "ERR Invalid IDLETIME value, must be >= 0")                                 \
  X(kInvalidFreq, "ERR Invalid FREQ value, must be >= 0 and <= 255")                              \
  X(kObjectFreqNotLfu,                                                                            \
    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note "     \
    "that when switching between policies at runtime LRU and LFU data will take some time to "    \
    "adjust.")                                                                                    \
  X(kObjectIdletimeLfu,                                                                           \
    "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when "      \
    "switching between policies at runtime LRU and LFU data will take some time to adjust.")      \
  /* Server state. */                                                                             \
  X(kOutOfMemory, "OOM command not allowed when used memory > 'maxmemory'.")                      \
  X(kLoading, "LOADING Redis is loading the dataset in memory")                                   \
  X(kReadOnlyReplica, "READONLY You can't write against a read only replica.")                    \
  X(kMisconfRdb,                                                                                  \
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist "    \
    "to disk. Commands that may modify the data set are disabled, because this instance is "      \
    "configured to report errors during writes if RDB snapshotting fails "                        \
    "(stop-writes-on-bgsave-error option). Please check the Redis logs for details about the "    \
    "RDB error.")                                                                                 \
  X(kNoReplicas, "NOREPLICAS Not enough good replicas to write.")                                 \
  X(kMasterDown,                                                                                  \
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.")           \
  X(kMaxClients, "ERR max number of clients reached")                                             \
  X(kProtectedMode,                                                                               \
    "DENIED Redis is running in protected mode because protected mode is enabled and no "         \
    "password is set for the default user. In this mode connections are only accepted from the "  \
    "loopback interface. If you want to connect from external computers to Redis you may adopt "  \
    "one of the following solutions: 1) Just disable protected mode sending the command "         \
    "'CONFIG SET protected-mode no' from the loopback interface by connecting to Redis from "     \
    "the same host the server is running, however MAKE SURE Redis is not publicly accessible "    \
    "from internet if you do so. Use CONFIG REWRITE to make this change permanent. 2) "           \
    "Alternatively you can just disable the protected mode by editing the Redis configuration "   \
    "file, and setting the protected mode option to 'no', and then restarting the server. 3) "    \
    "If you started the server manually just for testing, restart it with the "                   \
    "'--protected-mode no' option. 4) Setup a an authentication password for the default user. "  \
    "NOTE: You only need to do one of the above things in order for the server to start "         \
    "accepting connections from the outside.")                                                    \
  X(kBackgroundSave, "ERR Background save already in progress")                                   \
  X(kBackgroundRewrite, "ERR Background append only file rewriting already in progress")          \
  X(kShutdownErrors, "ERR Errors trying to SHUTDOWN. Check logs.")                                \
  X(kNoShutdown, "ERR No shutdown in progress.")                                                  \
  X(kNoConfigFile, "ERR The server is running without a config file")                             \
  X(kClusterDisabled, "ERR This instance has cluster support disabled")                           \
  X(kCommandNoKeys, "ERR The command has no key arguments")                                       \
  X(kCommandInvalid, "ERR Invalid command specified")                                             \
  X(kCommandArity, "ERR Invalid number of arguments specified for command")                       \
  X(kNotPermitted, "ERR operation not permitted")                                                 \
  X(kReplicaKeyspace, "ERR Replica can't interact with the keyspace")                             \
  /* Connections. */                                                                              \
  X(kNoAuth, "NOAUTH Authentication required.")                                                   \
  X(kHelloNoAuth,                                                                                 \
    "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "     \
    "AUTH <user> <pass> option can be used to authenticate the client and select the RESP "       \
    "protocol version at the same time")                                                          \
  X(kNoProto, "NOPROTO unsupported protocol version")                                             \
  X(kProtoNotInteger, "ERR Protocol version is not an integer or out of range")                   \
  X(kWrongPass, "WRONGPASS invalid username-password pair or user is disabled.")                  \
  X(kAuthNoPassword,                                                                              \
    "ERR AUTH <password> called without any password configured for the default user. Are you "   \
    "sure your configuration is correct?")                                                        \
  X(kNoSuchClient, "ERR No such client")                                                          \
  X(kInvalidClientId, "ERR Invalid client ID")                                                    \
  X(kClientIdNotPositive, "ERR client-id should be greater than 0")                               \
  X(kClientNameCharacters,                                                                        \
    "ERR Client names cannot contain spaces, newlines or special characters.")                    \
  X(kUnblocked, "UNBLOCKED client unblocked via CLIENT UNBLOCK")                                  \
  X(kCrossSlot, "CROSSSLOT Keys in request don't hash to the same slot")                          \
  /* Transactions. */                                                                             \
  X(kExecAbort, "EXECABORT Transaction discarded because of previous errors.")                    \
  X(kExecWithoutMulti, "ERR EXEC without MULTI")                                                  \
  X(kDiscardWithoutMulti, "ERR DISCARD without MULTI")                                            \
  X(kMultiNested, "ERR MULTI calls can not be nested")                                            \
  X(kWatchInsideMulti, "ERR WATCH inside MULTI is not allowed")                                   \
  X(kNotInTransaction, "ERR Command not allowed inside a transaction")

enum class Err : uint8_t {
#define MOON_X(name, text) name,
  MOON_RESP_ERRORS(MOON_X)
#undef MOON_X
  kCount,
};

// The line of `code`, without '-' and line end.
std::string_view error_text(Err code);

// Texts with holes, for Reply::error_format. Holes for client data are "%.*s" where Redis writes
// "%s": pass MOON_TEXT(view).
#define MOON_TEXT(view) static_cast<int>((view).size()), (view).data()
inline constexpr char kErrArity[] = "ERR wrong number of arguments for '%.*s' command";
// Redis cuts the name at 128 bytes and writes up to 128 bytes of quoted arguments behind it.
inline constexpr char kErrUnknownCommand[] =
    "ERR unknown command '%.*s', with args beginning with: %.*s";
inline constexpr char kErrHelloOption[] = "ERR Syntax error in HELLO option '%.*s'";
inline constexpr char kErrClientType[] = "ERR Unknown client type '%.*s'";
inline constexpr char kErrConfigUnknown[] =
    "ERR Unknown option or number of arguments for CONFIG SET - '%.*s'";
inline constexpr char kErrConfigSet[] =
    "ERR CONFIG SET failed (possibly related to argument '%.*s') - %.*s";
inline constexpr char kErrExpireTime[] = "ERR invalid expire time in '%.*s' command";
inline constexpr char kErrUnknownSubcommand[] = "ERR unknown subcommand '%.*s'. Try %.*s HELP.";
inline constexpr char kErrNotAllowedHere[] =
    "ERR Can't execute '%.*s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
    "allowed in this context";
inline constexpr char kErrCommandDisabled[] =
    "ERR %.*s command not allowed. If the %.*s option is set to \"local\", you can run it from a "
    "local connection, otherwise you need to set this option in the configuration file, and then "
    "restart the server.";

}  // namespace moon::resp
