# Read by CMake at each project() while llama-cpp-python is compiled, which else insists on a library of llama.cpp's that
# only its own programs use: half of the work.
set(LLAMA_BUILD_COMMON OFF)
