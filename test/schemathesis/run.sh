#!/usr/bin/env bash
# Generated requests against the built server; ends with "N passed, N failed". Arguments go to Schemathesis.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PRINTWARDEN_TEST_BUILT=1
exec node --conditions=x-source --import tsx test/schemathesis/run.ts "$@"
