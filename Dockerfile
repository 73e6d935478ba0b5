# docker build -t terrors .
# docker run --rm -v "$PWD":/desk terrors balance        plays the cards.csv of the folder that you are in
FROM python:3.12-slim
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir --constraint constraints.txt ".[spreadsheets]" && useradd --create-home designer
USER designer
WORKDIR /desk
# The rules engine is compiled once, now and not at every start.
RUN cd "$HOME" && terrors replay > /dev/null
ENTRYPOINT ["terrors"]
CMD ["--help"]
