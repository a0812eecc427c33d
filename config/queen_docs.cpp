// Writes the pages of docs/ that are made from tables in the code.

#include "config/error.hpp"
#include "config/settings.hpp"

#include <cstdio>
#include <fstream>
#include <string>

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("queen_docs DIRECTORY: writes configuration.md and errors.md "
               "there\n",
               stderr);
    return 2;
  }
  std::string directory = words[1];
  std::ofstream configuration{directory + "/configuration.md"};
  configuration << queen::config::settings_page();
  std::ofstream errors{directory + "/errors.md"};
  errors << queen::errors_page();
  return configuration.good() && errors.good() ? 0 : 1;
}
